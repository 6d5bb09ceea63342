"""One archive for the files of each NumPy release: numpy-2.4.6-py3.11.zip.

    corpus.py unpack    Extract every archive into a directory beside it.
    corpus.py pack      Make the archives of those directories, and remove them.

The archives are stored, not compressed, and have no dates, so that the same
files give the same bytes and Git finds what changed.
"""

import glob
import os
import shutil
import sys
import zipfile

HERE = os.path.dirname(os.path.abspath(__file__))


def unpack():
    for path in glob.glob(os.path.join(HERE, "numpy-[0-9]*.zip")):
        with zipfile.ZipFile(path) as archive:
            archive.extractall(path[:-len(".zip")])


def pack():
    for directory in glob.glob(os.path.join(HERE, "numpy-[0-9]*" + os.sep)):
        files = sorted(glob.glob(os.path.join(directory, "**", "*.np[yz]"), recursive=True))
        with zipfile.ZipFile(directory.rstrip(os.sep) + ".zip", "w") as archive:
            for file in files:
                name = os.path.relpath(file, directory).replace(os.sep, "/")
                with open(file, "rb") as content:
                    archive.writestr(zipfile.ZipInfo(name), content.read())
        shutil.rmtree(directory)


if __name__ == "__main__":
    {"unpack": unpack, "pack": pack}[sys.argv[1]]()
