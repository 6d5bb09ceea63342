//! Visitors: values of a caller's own types, shared ones, and values that contain themselves.

use std::borrow::Cow;
use std::cell::RefCell;
use std::rc::Rc;

use npy_core::object::{
    self, ObjectArray, ObjectOptions, PyDate, PyDateTime, PyInt, PyObject, PyTime, PyTimeDelta, PyTimeZone, UnknownGlobals, Visitor,
};
use npy_core::{DType, DynValues, ErrorKind, NpyReader, Order, Result};

use crate::support::file_with_header;

/// The file of an array of one object, with the opcodes of that object in protocol 0. The array is in the memo.
fn file(object: &str) -> Vec<u8> {
    let pickle = format!(
        "cnumpy._core.multiarray\n_reconstruct\n(cnumpy\nndarray\n(I0\ntS'b'\ntRp0\n(I1\n(I1\nt\
        cnumpy\ndtype\n(VO8\nI00\nI01\ntR(I3\nV|\nNNNI-1\nI-1\nI63\ntbI00\n(l{object}atb."
    );
    file_with_header(1, b"{'descr': '|O', 'fortran_order': False, 'shape': (1,), }\n", pickle.as_bytes())
}

fn visit<V: Visitor>(file: &[u8], visitor: &mut V, options: ObjectOptions) -> Result<V::Value> {
    NpyReader::from_bytes(file)?.visit_objects(visitor, options)
}

/// Handles that share their objects, as references of Python do.
#[derive(Default)]
struct Handles {
    texts: usize,
}

#[derive(Clone, Debug)]
enum Handle {
    Leaf(Rc<str>),
    Items(Rc<RefCell<Vec<Self>>>),
}

impl Handle {
    fn of(items: Vec<Self>) -> Self {
        Self::Items(Rc::new(RefCell::new(items)))
    }

    fn item(&self, index: usize) -> Self {
        match self {
            Self::Items(items) => items.borrow()[index].clone(),
            Self::Leaf(_) => panic!("{self:?}"),
        }
    }

    fn is(&self, other: &Self) -> bool {
        match (self, other) {
            (Self::Leaf(one), Self::Leaf(other)) => Rc::ptr_eq(one, other),
            (Self::Items(one), Self::Items(other)) => Rc::ptr_eq(one, other),
            _ => false,
        }
    }

    fn fill(&self, more: Vec<Self>) {
        match self {
            Self::Items(items) => items.borrow_mut().extend(more),
            Self::Leaf(_) => panic!("{self:?}"),
        }
    }
}

impl Visitor for Handles {
    type Value = Handle;

    const SHARES: bool = true;

    fn int(&mut self, value: i64) -> Result<Handle> {
        Ok(Handle::Leaf(value.to_string().into()))
    }

    fn str(&mut self, text: Cow<'_, str>) -> Result<Handle> {
        self.texts += 1;
        Ok(Handle::Leaf((*text).into()))
    }

    fn decimal(&mut self, text: Cow<'_, str>) -> Result<Handle> {
        Ok(Handle::Leaf((*text).into()))
    }

    fn list(&mut self, _: usize) -> Result<Handle> {
        Ok(Handle::of(Vec::new()))
    }

    fn extend(&mut self, list: &mut Handle, items: Vec<Handle>) -> Result<()> {
        list.fill(items);
        Ok(())
    }

    fn tuple(&mut self, items: Vec<Handle>) -> Result<Handle> {
        Ok(Handle::of(items))
    }

    fn dict(&mut self, _: usize) -> Result<Handle> {
        Ok(Handle::of(Vec::new()))
    }

    fn set_items(&mut self, dict: &mut Handle, entries: Vec<(Handle, Handle)>) -> Result<()> {
        dict.fill(entries.into_iter().map(|(_, value)| value).collect());
        Ok(())
    }

    fn object_array(&mut self, _: DType, _: Vec<usize>, _: Order) -> Result<Handle> {
        Ok(Handle::of(Vec::new()))
    }

    fn set_elements(&mut self, array: &mut Handle, elements: Vec<Handle>) -> Result<()> {
        array.fill(elements);
        Ok(())
    }

    fn opaque(&mut self, _: &str, _: &str, _: Option<Vec<Handle>>) -> Result<Handle> {
        Ok(Handle::of(Vec::new()))
    }

    fn set_state(
        &mut self,
        object: &mut Handle,
        state: Option<Handle>,
        items: Vec<Handle>,
        _: Vec<(Handle, Handle)>,
    ) -> Result<()> {
        object.fill(state.into_iter().chain(items).collect());
        Ok(())
    }
}

#[test]
fn shared_objects_are_visited_once() {
    let mut visitor = Handles::default();
    // ['a', 'a', 'a', [], []] of one text and one list.
    let shared = file("(lp1\nVa\np2\nag2\nag2\na(lp3\nag3\na");
    let list = visit(&shared, &mut visitor, ObjectOptions::new()).unwrap().item(0);
    assert_eq!(visitor.texts, 1);
    assert!(list.item(0).is(&list.item(1)) && list.item(0).is(&list.item(2)) && list.item(3).is(&list.item(4)));
    assert!(!list.item(3).is(&list));
}

#[test]
fn shared_objects_may_contain_themselves() {
    let options = ObjectOptions::new().unknown_globals(UnknownGlobals::Opaque);
    let object = |opcodes: &str| visit(&file(opcodes), &mut Handles::default(), options).unwrap().item(0);
    let list = object("(lp1\ng1\na");
    assert!(list.item(0).is(&list), "a list in itself");
    let dict = object("(dp1\nVkey\ng1\ns");
    assert!(dict.item(0).is(&dict), "a dict in itself");
    // As Python pickles `t = ([],); t[0].append(t)`.
    let tuple = object("((lp1\n(g1\ntp2\na1g2\n");
    assert!(tuple.item(0).item(0).is(&tuple), "a tuple in its list");
    let opaque = object("cmodule\nName\n(tRp1\n(dVself\ng1\nsb");
    assert!(opaque.item(0).item(0).is(&opaque), "an object in its state");
    let array = visit(&file("g0\n"), &mut Handles::default(), options).unwrap();
    assert!(array.item(0).is(&array), "an array in itself");
    for opcodes in ["(lp1\ng1\na", "g0\n"] {
        let error = visit(&file(opcodes), &mut Names::default(), options).unwrap_err();
        assert!(error.to_string().contains("an object contains itself"), "{error}");
    }
}

#[test]
fn references_of_objects_to_themselves_are_kept() {
    let options = ObjectOptions::new().keep_cycles(true);
    for (opcodes, expected) in [
        ("(lp1\ng1\na", "[...]"),
        ("(dp1\nVkey\ng1\nsVn\nI1\ns", "{'key': ..., 'n': 1}"),
        // As Python pickles `t = ([],); t[0].append(t)`.
        ("((lp1\n(g1\ntp2\na1g2\n", "([...],)"),
        // Lists in each other are cut in one place each.
        ("(lp1\n(lp2\n(lp3\ng1\nag2\naag1\nag3\naag2\na", "[[[..., ...], ..., [..., ...]], [[..., ...], ..., [..., ...]]]"),
        ("g0\n", "..."),
        ("cmodule\nName\n(tRp1\n(dVself\ng1\nsb", "<module.Name()>"),
    ] {
        let is_class = opcodes.starts_with('c');
        let options = options.unknown_globals(if is_class { UnknownGlobals::Opaque } else { UnknownGlobals::Refuse });
        let read = object::read_with(&file(opcodes)[..], options).unwrap();
        assert_eq!(read.items()[0].to_string(), expected, "{opcodes:?}");
    }
}

/// Each of these lists contains all of them. Copies of them would be as many as there are orders.
#[test]
fn lists_that_all_contain_each_other_are_bounded() {
    let lists = 40;
    let begun: String = (1..=lists).map(|list| format!("(lp{list}\n0")).collect();
    let filled: String = (1..=lists).flat_map(|list| (1..=lists).map(move |item| format!("g{list}\ng{item}\na0"))).collect();
    let read = object::read_with(&file(&format!("{begun}{filled}g1\n"))[..], ObjectOptions::new().keep_cycles(true));
    assert_eq!(read.unwrap_err().kind(), npy_core::ErrorKind::LimitExceeded);
}

#[test]
fn levels_of_objects_that_contain_themselves_are_limited() {
    // A tuple of lists, each of which contains the tuple.
    let tuple = |lists: usize| {
        let begun: String = (1..=lists).map(|list| format!("(lp{list}\n")).collect();
        let filled: String = (1..=lists).map(|list| format!("g{list}\ng1000\na0")).collect();
        file(&format!("({begun}tp1000\n{filled}"))
    };
    let visit = |lists: usize| visit(&tuple(lists), &mut Handles::default(), ObjectOptions::new());
    assert!(visit(50).is_ok());
    assert_eq!(visit(500).unwrap_err().kind(), ErrorKind::LimitExceeded);
}

#[test]
fn shared_objects_take_no_memory_but_arguments_do() {
    let options = ObjectOptions::new().expansion(0);
    // 2^40 texts as a tree.
    let doubled: String = (1..=40).map(|list| format!("(lp{list}\ng{0}\nag{0}\naa", list - 1)).collect();
    let lists = file(&format!("(lVx\np0\na{doubled}"));
    assert_eq!(visit(&lists, &mut Names::default(), options).unwrap_err().kind(), ErrorKind::LimitExceeded);
    assert!(visit(&lists, &mut Handles::default(), options).is_ok());
    // A number of 100,000 digits, each of whose decimals is a copy.
    let decimals = "cdecimal\nDecimal\n(g1\ntRa".repeat(1000);
    let copies = file(&format!("(lV{}\np1\na{decimals}", "9".repeat(100_000)));
    let error = visit(&copies, &mut Handles::default(), options).unwrap_err();
    assert_eq!(error.kind(), ErrorKind::LimitExceeded);
    assert!(error.to_string().contains("copies of shared ones included"), "{error}");
}

/// The types of all objects but arrays of objects, whose elements would not be visited.
#[derive(Default)]
struct Names(Vec<&'static str>);

impl Visitor for Names {
    type Value = ();

    fn unexpected(&mut self, found: &'static str) -> Result<()> {
        self.0.push(found);
        Ok(())
    }
}

#[test]
fn every_object_has_a_method() {
    let day = PyDate::new(2024, 2, 29).unwrap();
    let hour = PyTimeDelta::new(0, 3600, 0).unwrap();
    let noon = PyTime::new(12, 0, 0, 0).unwrap();
    let values = DynValues::from_slice(&[1.5_f32, 2.5]).unwrap();
    let number = DynValues::new("<f4".parse().unwrap(), Order::C, &[], vec![0; 4]).unwrap();
    let none = || Box::new([PyObject::None, PyObject::None, PyObject::None]);
    let objects = [
        PyObject::None,
        PyObject::Bool(true),
        PyObject::from(1),
        PyObject::from(u64::MAX),
        PyObject::Float(0.5),
        PyObject::Complex { re: 1.0, im: 2.0 },
        PyObject::from("text"),
        PyObject::Bytes(vec![0xff]),
        PyObject::ByteArray(vec![1]),
        PyObject::List(vec![]),
        PyObject::Tuple(vec![]),
        PyObject::Dict(vec![]),
        PyObject::OrderedDict(vec![]),
        PyObject::Set(vec![]),
        PyObject::FrozenSet(vec![]),
        PyObject::Range(Box::new([0, 2, 1].map(PyInt::from))),
        PyObject::Slice(none()),
        PyObject::Date(day),
        PyObject::Time(Box::new(noon.clone())),
        PyObject::DateTime(Box::new(PyDateTime::new(day, noon))),
        PyObject::TimeDelta(hour),
        PyObject::TimeZone(Box::new(PyTimeZone::new(hour, None).unwrap())),
        PyObject::Decimal("1.50".to_owned()),
        PyObject::Fraction(Box::new([1, 2].map(PyInt::from))),
        PyObject::Uuid([7; 16]),
        PyObject::DType(Box::new("<f8".parse().unwrap())),
        PyObject::Scalar(Box::new(number)),
        PyObject::from(values),
        PyObject::from(ObjectArray::from(vec!["a"])),
    ];
    for object in objects {
        let mut file = Vec::new();
        ObjectArray::from(vec![object.clone()]).write(&mut file).unwrap();
        let mut names = Names::default();
        visit(&file, &mut names, ObjectOptions::new()).unwrap();
        assert!(names.0.contains(&object.type_name()), "{object}: {:?}", names.0);
        if let PyObject::Slice(_) = object {
            continue;
        }
        // Without a method, each is refused by its type.
        let error = visit(&file, &mut Nothing::default(), ObjectOptions::new()).unwrap_err();
        let expected = format!(": unexpected {}", object.type_name());
        let is_placed = error.kind() == ErrorKind::InvalidPickle && error.offset() > Some(128);
        assert!(is_placed && error.to_string().ends_with(&expected), "{error}");
    }
}

/// Takes nothing but the array itself.
#[derive(Default)]
struct Nothing {
    is_inside: bool,
}

impl Visitor for Nothing {
    type Value = ();

    fn object_array(&mut self, _: DType, _: Vec<usize>, _: Order) -> Result<()> {
        if std::mem::replace(&mut self.is_inside, true) { self.unexpected("numpy.ndarray") } else { Ok(()) }
    }
}

/// An error of the visitor itself is returned as it is.
#[test]
fn errors_of_visitors_are_kept() {
    struct Fails;
    impl Visitor for Fails {
        type Value = ();

        fn object_array(&mut self, _: DType, _: Vec<usize>, _: Order) -> Result<()> {
            Err(npy_core::Error::new(ErrorKind::InvalidValue, "enough").at_element(3, ""))
        }
    }
    let error = visit(&file("I7\n"), &mut Fails, ObjectOptions::new()).unwrap_err();
    assert_eq!(
        (error.kind(), error.element(), error.to_string().as_str()),
        (ErrorKind::InvalidValue, Some(3), "element 3: enough")
    );
}
