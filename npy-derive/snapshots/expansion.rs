// The expansions of `#[derive(NpyRecord)]` and, at the end, `#[derive(NpzArchive)]`.

// struct Pick {
// time: f64,
// #[npy(default)]
// quality: u8,
// #[npy(dtype = "U8", alias = "name")]
// station: String,
// #[npy(flatten)]
// origin: Origin,
// depth: Option<f32>,
// #[npy(skip)]
// cache: Vec<u8>,
// }
#[doc(hidden)]
#[allow(
    deprecated,
    missing_docs,
    nonstandard_style,
    private_bounds,
    private_interfaces,
    trivial_bounds,
    unnameable_types,
    unreachable_pub,
    unused,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
const _: () = {
    use __private::Otherwise as _;
    use ::npy_core::{self as __npy, __private};
    pub struct __PickPlan
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __private::As<__npy::types::FixedUnicode<8usize>, '='>: __private::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        time: __private::FieldPlan<f64>,
        quality: ::core::option::Option<__private::FieldPlan<u8>>,
        station: __private::FieldPlan<String, __private::As<__npy::types::FixedUnicode<8usize>, '='>>,
        origin: __private::FieldPlan<Origin>,
        depth: ::core::option::Option<__private::FieldPlan<Option<f32>>>,
    }
    __private::plan! { [] [__PickPlan] [where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __private::As<__npy::types::FixedUnicode<8usize>, '='>: __private::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    ] [time quality station origin depth]
        const fn place(order: __npy::dtype::ByteOrder) -> ::core::option::Option<__private::Layout<Self>> {
            let mut cursor = __private::Cursor::packed();
            let ::core::option::Option::Some(__time) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            let ::core::option::Option::Some(__quality) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            let ::core::option::Option::Some(__station) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            let ::core::option::Option::Some(__origin) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            let ::core::option::Option::Some(__depth) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            ::core::option::Option::Some(__private::Layout {
                itemsize: cursor.finish(),
                plan: Self {
                    time: __time,
                    quality: ::core::option::Option::Some(__quality),
                    station: __station,
                    origin: __origin,
                    depth: ::core::option::Option::Some(__depth),
                },
            })
        }
    }
    #[automatically_derived]
    impl __npy::NpyElement for Pick
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __private::As<__npy::types::FixedUnicode<8usize>, '='>: __private::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        type Codec = Self;
        type Widened = Self;
    }
    #[automatically_derived]
    impl __private::Codec<Self> for Pick
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __private::As<__npy::types::FixedUnicode<8usize>, '='>: __private::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        type Plan = __PickPlan;
        const LITTLE: ::core::option::Option<__private::Layout<Self::Plan>> = __PickPlan::place(__npy::dtype::ByteOrder::Little);
        const BIG: ::core::option::Option<__private::Layout<Self::Plan>> = __PickPlan::place(__npy::dtype::ByteOrder::Big);
        const ALIGNMENT: usize = 1;
        const VARIES: bool = <__private::FieldPlan<f64>>::VARIES
            || <__private::FieldPlan<u8>>::VARIES
            || <__private::FieldPlan<String, __private::As<__npy::types::FixedUnicode<8usize>, '='>>>::VARIES
            || <__private::FieldPlan<Origin>>::VARIES
            || <__private::FieldPlan<Option<f32>>>::VARIES;
        const GROWS: bool = <__private::FieldPlan<f64>>::GROWS
            && <__private::FieldPlan<u8>>::GROWS
            && <__private::FieldPlan<String, __private::As<__npy::types::FixedUnicode<8usize>, '='>>>::GROWS
            && <__private::FieldPlan<Origin>>::GROWS
            && <__private::FieldPlan<Option<f32>>>::GROWS;
        const SENDS: ::core::option::Option<__private::Sends<Self>> = __private::Probe::<Self>::SENDS;
        fn dtype() -> __npy::DType {
            __private::dtype_of_record::<Self>()
        }
        fn dtype_of<'record>(
            records: ::core::option::Option<impl ::core::iter::Iterator<Item = &'record Self> + ::core::clone::Clone>,
        ) -> __npy::DType
        where
            Self: 'record,
        {
            __private::RecordBuilder::new(__private::Cursor::packed(), ::core::option::Option::None)
                .field::<_, f64, __private::CodecOf<f64>>("time", &records, |record| &record.time)
                .field::<_, u8, __private::CodecOf<u8>>("quality", &records, |record| &record.quality)
                .field::<_, String, __private::As<__npy::types::FixedUnicode<8usize>, '='>>("station", &records, |record| {
                    &record.station
                })
                .flatten::<_, Origin>(&records, |record| &record.origin)
                .optional::<_, f32, __private::CodecOf<Option<f32>>>("depth", &records, |record| &record.depth)
                .finish()
        }
        fn plan(dtype: &__npy::DType, planner: &mut __private::Planner) -> ::core::option::Option<Self::Plan> {
            __private::plan_record::<Self>(dtype, planner)
        }
        #[inline(always)]
        fn decode(plan: &Self::Plan, record: &[u8]) -> ::core::result::Result<Self, __npy::error::ValueError> {
            ::core::result::Result::Ok(Self {
                time: plan.time.decode("time", record)?,
                quality: match plan.quality {
                    ::core::option::Option::Some(field) => field.decode("quality", record)?,
                    ::core::option::Option::None => ::core::default::Default::default(),
                },
                station: plan.station.decode("station", record)?,
                origin: plan.origin.decode_flattened(record)?,
                depth: match plan.depth {
                    ::core::option::Option::Some(field) => field.decode("depth", record)?,
                    ::core::option::Option::None => ::core::option::Option::None,
                },
                cache: ::core::default::Default::default(),
            })
        }
        #[inline(always)]
        fn encode(value: &Self, plan: &Self::Plan, record: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
            plan.time.encode("time", &value.time, record)?;
            if let ::core::option::Option::Some(field) = plan.quality {
                field.encode("quality", &value.quality, record)?;
            }
            plan.station.encode("station", &value.station, record)?;
            plan.origin.encode_flattened(&value.origin, record)?;
            if let ::core::option::Option::Some(field) = plan.depth {
                field.encode("depth", &value.depth, record)?;
            }
            ::core::result::Result::Ok(())
        }
    }
    #[automatically_derived]
    impl __npy::NpyRecord for Pick
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __private::As<__npy::types::FixedUnicode<8usize>, '='>: __private::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        const NAMES: &'static [__private::FieldName] = __private::distinct(&[
            __private::FieldName::own("time"),
            __private::FieldName::own("quality"),
            __private::FieldName::own("station").with_aliases(&["name"]),
            __private::FieldName::Flattened(<Origin as __npy::NpyRecord>::NAMES),
            __private::FieldName::own("depth"),
        ]);
        fn plan_fields(
            record: __private::FileRecord<'_>,
            planner: &mut __private::Planner,
        ) -> ::core::option::Option<__private::PlanOf<Self>> {
            let __time = record.find(0, planner);
            let __quality = record.find_if_there(1, planner);
            let __station = record.find(2, planner);
            let __origin = record.flatten(planner);
            let __depth = record.find_if_there(4, planner);
            ::core::option::Option::Some(__PickPlan {
                time: __time?,
                quality: __quality?,
                station: __station?,
                origin: __origin?,
                depth: __depth?,
            })
        }
    }
    const _: () = __private::Probe::<Pick>::RECORD;
};

// #[npy(view, align)]
// #[repr(C)]
// struct Sample { id: u8, time: f64 }
#[doc(hidden)]
#[allow(
    deprecated,
    missing_docs,
    nonstandard_style,
    private_bounds,
    private_interfaces,
    trivial_bounds,
    unnameable_types,
    unreachable_pub,
    unused,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
const _: () = {
    use __private::Otherwise as _;
    use ::npy_core::{self as __npy, __private};
    pub struct __SamplePlan
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        id: __private::FieldPlan<u8>,
        time: __private::FieldPlan<f64>,
    }
    __private::plan! { [] [__SamplePlan] [where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    ] [id time]
        const fn place(order: __npy::dtype::ByteOrder) -> ::core::option::Option<__private::Layout<Self>> {
            let mut cursor = __private::Cursor::aligned();
            let ::core::option::Option::Some(__id) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            let ::core::option::Option::Some(__time) = __private::FieldPlan::place(&mut cursor, order) else {
                return ::core::option::Option::None;
            };
            ::core::option::Option::Some(__private::Layout { itemsize: cursor.finish(), plan: Self { id: __id, time: __time } })
        }
    }
    #[automatically_derived]
    impl __npy::NpyElement for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        type Codec = Self;
        type Widened = Self;
    }
    #[automatically_derived]
    impl __private::Codec<Self> for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        type Plan = __SamplePlan;
        const LITTLE: ::core::option::Option<__private::Layout<Self::Plan>> = __SamplePlan::place(__npy::dtype::ByteOrder::Little);
        const BIG: ::core::option::Option<__private::Layout<Self::Plan>> = __SamplePlan::place(__npy::dtype::ByteOrder::Big);
        const ALIGNMENT: usize =
            __private::largest(&[<__private::FieldPlan<u8>>::ALIGNMENT, <__private::FieldPlan<f64>>::ALIGNMENT]);
        const VARIES: bool = <__private::FieldPlan<u8>>::VARIES || <__private::FieldPlan<f64>>::VARIES;
        const GROWS: bool = <__private::FieldPlan<u8>>::GROWS && <__private::FieldPlan<f64>>::GROWS;
        const SENDS: ::core::option::Option<__private::Sends<Self>> = __private::Probe::<Self>::SENDS;
        const BULK: ::core::option::Option<__private::Bulk<Self>> = __private::bulk_of_view::<Self>();
        fn dtype() -> __npy::DType {
            __private::dtype_of_record::<Self>()
        }
        fn dtype_of<'record>(
            records: ::core::option::Option<impl ::core::iter::Iterator<Item = &'record Self> + ::core::clone::Clone>,
        ) -> __npy::DType
        where
            Self: 'record,
        {
            __private::RecordBuilder::new(__private::Cursor::aligned(), ::core::option::Option::None)
                .field::<_, u8, __private::CodecOf<u8>>("id", &records, |record| &record.id)
                .field::<_, f64, __private::CodecOf<f64>>("time", &records, |record| &record.time)
                .finish()
        }
        fn plan(dtype: &__npy::DType, planner: &mut __private::Planner) -> ::core::option::Option<Self::Plan> {
            __private::plan_record::<Self>(dtype, planner)
        }
        #[inline(always)]
        fn decode(plan: &Self::Plan, record: &[u8]) -> ::core::result::Result<Self, __npy::error::ValueError> {
            ::core::result::Result::Ok(Self { id: plan.id.decode("id", record)?, time: plan.time.decode("time", record)? })
        }
        #[inline(always)]
        fn encode(value: &Self, plan: &Self::Plan, record: &mut [u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
            plan.id.encode("id", &value.id, record)?;
            plan.time.encode("time", &value.time, record)?;
            ::core::result::Result::Ok(())
        }
    }
    #[automatically_derived]
    impl __npy::NpyRecord for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        const NAMES: &'static [__private::FieldName] = &[__private::FieldName::own("id"), __private::FieldName::own("time")];
        fn plan_fields(
            record: __private::FileRecord<'_>,
            planner: &mut __private::Planner,
        ) -> ::core::option::Option<__private::PlanOf<Self>> {
            let __id = record.find(0, planner);
            let __time = record.find(1, planner);
            ::core::option::Option::Some(__SamplePlan { id: __id?, time: __time? })
        }
    }
    #[automatically_derived]
    unsafe impl __npy::NpyView for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        const PROOF: () = match __private::native::<Self>() {
            ::core::option::Option::Some(layout) => {
                __private::assert_field::<u8>(
                    layout.plan.id.offset() == ::core::mem::offset_of!(Self, id),
                    "`Sample` cannot be viewed: the offset of `id` in memory is not that in the file; NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too",
                );
                __private::assert_field::<f64>(
                    layout.plan.time.offset() == ::core::mem::offset_of!(Self, time),
                    "`Sample` cannot be viewed: the offset of `time` in memory is not that in the file; NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too",
                );
                __private::assert_layout(
                    layout.itemsize == ::core::mem::size_of::<Self>(),
                    "`Sample` cannot be viewed: its size in memory is not its itemsize in the file; NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too",
                );
            }
            ::core::option::Option::None => {
                __private::assert_layout(false, "`Sample` cannot be viewed: its layout is not known at compile time")
            }
        };
        const HAS_PADDING: bool = ::core::mem::size_of::<Self>() != ::core::mem::size_of::<u8>() + ::core::mem::size_of::<f64>()
            || <u8 as __npy::NpyView>::HAS_PADDING
            || <f64 as __npy::NpyView>::HAS_PADDING;
        const HAS_INVALID: bool = <u8 as __npy::NpyView>::HAS_INVALID || <f64 as __npy::NpyView>::HAS_INVALID;
        #[inline(always)]
        fn check(bytes: &[u8]) -> ::core::result::Result<(), __npy::error::ValueError> {
            __private::check_field::<u8>(bytes, ::core::mem::offset_of!(Self, id), "id")?;
            __private::check_field::<f64>(bytes, ::core::mem::offset_of!(Self, time), "time")?;
            ::core::result::Result::Ok(())
        }
    }
    const _: () = __private::Probe::<Sample>::VIEW;
};

// #[repr(u8)]
// enum Phase { P, S = 7 }
#[doc(hidden)]
#[allow(
    deprecated,
    missing_docs,
    nonstandard_style,
    private_bounds,
    private_interfaces,
    trivial_bounds,
    unnameable_types,
    unreachable_pub,
    unused,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
const _: () = {
    use __private::Otherwise as _;
    use ::npy_core::{self as __npy, __private};
    #[automatically_derived]
    impl __npy::NpyElement for Phase {
        type Codec = Self;
        type Widened = Self;
    }
    #[automatically_derived]
    impl __private::Codec<Self> for Phase {
        type Plan = <u8 as __private::Codec<u8>>::Plan;
        const LITTLE: ::core::option::Option<__private::Layout<<u8 as __private::Codec<u8>>::Plan>> =
            <u8 as __private::Codec<u8>>::LITTLE;
        const BIG: ::core::option::Option<__private::Layout<<u8 as __private::Codec<u8>>::Plan>> =
            <u8 as __private::Codec<u8>>::BIG;
        const ALIGNMENT: usize = <u8 as __private::Codec<u8>>::ALIGNMENT;
        const SENDS: ::core::option::Option<__private::Sends<Self>> = __private::Probe::<Self>::SENDS;
        fn dtype() -> __npy::DType {
            <u8 as __private::Codec<u8>>::dtype()
        }
        fn plan(
            dtype: &__npy::DType,
            planner: &mut __private::Planner,
        ) -> ::core::option::Option<<u8 as __private::Codec<u8>>::Plan> {
            <u8 as __private::Codec<u8>>::plan(dtype, planner)
        }
        #[inline(always)]
        fn decode(
            plan: &<u8 as __private::Codec<u8>>::Plan,
            bytes: &[u8],
        ) -> ::core::result::Result<Self, __npy::error::ValueError> {
            match <u8 as __private::Codec<u8>>::decode(plan, bytes)? {
                number if number == Self::P as u8 => ::core::result::Result::Ok(Self::P),
                number if number == Self::S as u8 => ::core::result::Result::Ok(Self::S),
                number => ::core::result::Result::Err(__private::unknown_variant::<Self>(
                    number,
                    const {
                        &[
                            (::core::stringify!(P), Self::P as ::core::primitive::i128),
                            (::core::stringify!(S), Self::S as ::core::primitive::i128),
                        ]
                    },
                )),
            }
        }
        #[inline(always)]
        fn encode(
            value: &Self,
            plan: &<u8 as __private::Codec<u8>>::Plan,
            bytes: &mut [u8],
        ) -> ::core::result::Result<(), __npy::error::ValueError> {
            let number = match value {
                Self::P => Self::P as u8,
                Self::S => Self::S as u8,
            };
            <u8 as __private::Codec<u8>>::encode(&number, plan, bytes)
        }
    }
};

// struct Run {
// matrix: Array2<f64>,
// optimizer: Optimizer,
// comment: Option<String>,
// #[npy(alias = "n", default = one)]
// epochs: u32,
// #[npy(skip)]
// cache: Vec<u8>,
// #[npy(flatten)]
// others: BTreeMap<String, ArrayD<f32>>,
// }
#[doc(hidden)]
#[allow(
    deprecated,
    missing_docs,
    nonstandard_style,
    private_bounds,
    private_interfaces,
    trivial_bounds,
    unnameable_types,
    unreachable_pub,
    unused,
    unused_qualifications,
    clippy::all,
    clippy::nursery,
    clippy::pedantic,
    clippy::restriction
)]
const _: () = {
    use ::npy_ndarray::{self as __npy, __private};
    #[automatically_derived]
    impl __npy::NpzArchive for Run {
        fn plan_read<__R: ::std::io::Read + ::std::io::Seek>(plan: &mut __private::ReadPlan<'_, __R>) -> __private::Pending<Self> {
            let __matrix = <Array2<f64> as __private::NpzField<_>>::plan_first(&["matrix"], plan);
            let __optimizer = <Optimizer as __private::NpzField<_>>::plan_first(&["optimizer"], plan);
            let __comment = <String as __private::NpzField<_>>::plan_if_there(&["comment"], plan);
            let __epochs = <u32 as __private::NpzField<_>>::plan_if_there(&["epochs", "n"], plan);
            let __others = <BTreeMap<String, ArrayD<f32>> as __npy::NpzArchive>::plan_read(plan);
            ::std::boxed::Box::new(move || {
                ::core::result::Result::Ok(Self {
                    matrix: __matrix()?,
                    optimizer: __optimizer()?,
                    comment: match __comment {
                        ::core::option::Option::Some(__comment) => ::core::option::Option::Some(__comment()?),
                        ::core::option::Option::None => ::core::option::Option::None,
                    },
                    epochs: match __epochs {
                        ::core::option::Option::Some(__epochs) => __epochs()?,
                        ::core::option::Option::None => one(),
                    },
                    cache: <Vec<u8> as ::core::default::Default>::default(),
                    others: __others()?,
                })
            })
        }
        fn write_members<__W: ::std::io::Write>(&self, archive: &mut __private::MemberWriter<'_, __W>) -> __private::Result<()> {
            <Array2<f64> as __private::NpzField<_>>::write(&self.matrix, "matrix", archive)?;
            <Optimizer as __private::NpzField<_>>::write(&self.optimizer, "optimizer", archive)?;
            if let ::core::option::Option::Some(value) = &self.comment {
                <String as __private::NpzField<_>>::write(value, "comment", archive)?;
            }
            <u32 as __private::NpzField<_>>::write(&self.epochs, "epochs", archive)?;
            <BTreeMap<String, ArrayD<f32>> as __npy::NpzArchive>::write_members(&self.others, archive)?;
            ::core::result::Result::Ok(())
        }
    }
};
