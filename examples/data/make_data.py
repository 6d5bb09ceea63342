"""Make the two files the example reads, next to this script:

picks.npy         240 synthetic earthquake picks: a 1-D structured array, packed,
                  sorted by arrival time (picks without a time, NaT, come last)
travel_times.npy  P travel times in seconds, stations x events, in Fortran order;
                  stations sorted by code, events by origin time

All made up: station places are approximate, events are random, and every wave
runs straight at 6.0 km/s (P) or 3.5 km/s (S), called Pn and Sn beyond 150 km.

Run with:  python make_data.py      (needs only NumPy)
"""

from pathlib import Path

import numpy as np

STATIONS = {  # code: (latitude, longitude), sorted by code
    "ABTA": (46.747, 12.512), "BFO": (48.330, 8.330), "DAVOX": (46.780, 9.880),
    "FETA": (47.021, 10.729), "FUORN": (46.620, 10.264), "FUR": (48.163, 11.275),
    "GEC2": (48.845, 13.702), "GRB1": (49.391, 11.652), "GRFO": (49.691, 11.220),
    "KBA": (47.078, 13.345), "MANZ": (49.986, 12.108), "MOTA": (47.344, 11.103),
    "MÜNS": (48.413, 9.491), "OBKA": (46.509, 14.549), "RETA": (47.487, 10.762),
    "ROTZ": (49.769, 12.207), "RTBE": (47.744, 12.853), "STU": (48.771, 9.195),
    "WATA": (47.336, 11.576), "WETR": (49.145, 12.876),
}
N_EVENTS, N_PICKS, N_NO_CLOCK = 12, 240, 3
VP, VS = 6.0, 3.5  # km/s

ORIGIN = np.dtype([
    ("time", "<M8[ns]"), ("latitude", "<f8"), ("longitude", "<f8"),
    ("depth_km", "<f4"), ("magnitude", "<f4"),
])
PICK = np.dtype([
    ("id", "<u4"), ("station", "<U5"), ("latitude", "<f8"), ("longitude", "<f8"),
    ("origin", ORIGIN), ("time", "<M8[ns]"), ("phase", "|S4"),
    ("waveform", "<f4", (3, 16)), ("reviewed", "?"),
])


def seconds(values):
    return np.rint(np.asarray(values) * 1e9).astype("m8[ns]")


def make_events(rng):
    events = np.zeros(N_EVENTS, ORIGIN)
    days = np.sort(rng.uniform(0, 14, N_EVENTS))
    events["time"] = np.datetime64("2024-03-04", "ns") + seconds(days * 86400)
    events["latitude"] = rng.uniform(46.9, 49.3, N_EVENTS).round(4)
    events["longitude"] = rng.uniform(9.0, 13.0, N_EVENTS).round(4)
    events["depth_km"] = rng.uniform(3, 14, N_EVENTS).round(1)
    events["magnitude"] = (1.6 + rng.exponential(0.45, N_EVENTS)).round(1)
    return events


def distances(places, events):
    """Kilometres from each source to each station, stations x events."""
    lat1, lon1 = np.radians(places).T[:, :, None]
    lat2, lon2 = np.radians(events["latitude"]), np.radians(events["longitude"])
    h = (np.sin((lat2 - lat1) / 2) ** 2
         + np.cos(lat1) * np.cos(lat2) * np.sin((lon2 - lon1) / 2) ** 2)
    return np.hypot(2 * 6371 * np.arcsin(np.sqrt(h)), events["depth_km"].astype("f8"))


def make_waveforms(rng, amplitude, is_s):
    """Four samples of noise, then a decaying 4 Hz wave, at 25 samples per second."""
    t = (np.arange(16) - 4) / 25
    phase = rng.uniform(-0.4, 0.4, (len(amplitude), 3, 1))
    wave = np.where(t >= 0, np.exp(-t / 0.2) * np.sin(2 * np.pi * 4 * t + phase), 0)
    # Z, N, E: P shakes the vertical most, S the horizontals
    parts = np.where(is_s[:, None], [0.4, 1.0, 0.8], [1.0, 0.4, 0.3])
    noise = rng.normal(0, 0.01, wave.shape)
    return amplitude[:, None, None] * parts[:, :, None] * wave + noise


def make_picks(rng, codes, places, events, distance):
    strength = 10 * 10 ** (0.8 * events["magnitude"].astype("f8")) * distance**-1.5
    # The clearest of all possible picks, as indices of event, station and S or P
    score = np.log10(strength.T)[:, :, None] + rng.normal(0, 0.4, (N_EVENTS, len(codes), 2))
    chosen = np.sort(np.argsort(score, axis=None)[-N_PICKS:])
    event, station, is_s = np.unravel_index(chosen, score.shape)
    km = distance[station, event]

    picks = np.zeros(N_PICKS, PICK)
    picks["id"] = np.arange(1001, 1001 + N_PICKS)
    picks["station"] = codes[station]
    picks["latitude"], picks["longitude"] = places[station].T
    picks["origin"] = events[event]
    noise = rng.normal(0, np.where(is_s, 0.1, 0.05))
    picks["time"] = events["time"][event] + seconds(km / np.where(is_s, VS, VP) + noise)
    picks["phase"] = np.array([[b"Pg", b"Sg"], [b"Pn", b"Sn"]])[(km > 150).astype(int), is_s]
    amplitude = strength[station, event] * np.where(is_s, 1.7, 1.0)
    picks["waveform"] = make_waveforms(rng, amplitude, is_s)
    picks["reviewed"] = rng.permutation(N_PICKS) < 0.6 * N_PICKS
    broken = rng.choice(N_PICKS, N_NO_CLOCK, replace=False)
    picks["time"][broken], picks["reviewed"][broken] = np.datetime64("NaT"), False
    return picks[np.argsort(picks["time"], kind="stable")]


if __name__ == "__main__":
    rng = np.random.default_rng(20240304)
    codes, places = np.array(list(STATIONS)), np.array(list(STATIONS.values()))
    events = make_events(rng)
    distance = distances(places, events)
    directory = Path(__file__).parent
    np.save(directory / "picks.npy", make_picks(rng, codes, places, events, distance))
    np.save(directory / "travel_times.npy", np.asfortranarray(distance / VP))
