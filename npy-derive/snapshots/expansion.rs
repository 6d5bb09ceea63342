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
    use __npy::Otherwise as _;
    use ::npy_core::__private as __npy;
    pub struct __PickPlan
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __npy::As<__npy::FixedUnicode<8usize>, '='>: __npy::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        time: __npy::FieldPlan<f64>,
        quality: __npy::Option<__npy::FieldPlan<u8>>,
        station: __npy::FieldPlan<String, __npy::As<__npy::FixedUnicode<8usize>, '='>>,
        origin: __npy::FieldPlan<Origin>,
        depth: __npy::Option<__npy::FieldPlan<Option<f32>>>,
    }
    __npy::plan! { [] [__PickPlan] [where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __npy::As<__npy::FixedUnicode<8usize>, '='>: __npy::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    ] [time quality station origin depth]
        const fn place(order: __npy::ByteOrder) -> __npy::Option<__npy::Layout<Self>> {
            let mut cursor = __npy::Cursor::packed();
            let __npy::Some(__time) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            let __npy::Some(__quality) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            let __npy::Some(__station) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            let __npy::Some(__origin) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            let __npy::Some(__depth) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            __npy::Some(__npy::Layout {
                itemsize: cursor.finish(),
                plan: Self {
                    time: __time,
                    quality: __npy::Some(__quality),
                    station: __station,
                    origin: __origin,
                    depth: __npy::Some(__depth),
                },
            })
        }
    }
    #[automatically_derived]
    impl __npy::NpyElement for Pick
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __npy::As<__npy::FixedUnicode<8usize>, '='>: __npy::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        type Codec = Self;
        type Widened = Self;
    }
    #[automatically_derived]
    impl __npy::Codec<Self> for Pick
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __npy::As<__npy::FixedUnicode<8usize>, '='>: __npy::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        type Plan = __PickPlan;
        const LITTLE: __npy::Option<__npy::Layout<Self::Plan>> = __PickPlan::place(__npy::ByteOrder::Little);
        const BIG: __npy::Option<__npy::Layout<Self::Plan>> = __PickPlan::place(__npy::ByteOrder::Big);
        const ALIGNMENT: usize = 1;
        const VARIES: bool = <__npy::FieldPlan<f64>>::VARIES
            || <__npy::FieldPlan<u8>>::VARIES
            || <__npy::FieldPlan<String, __npy::As<__npy::FixedUnicode<8usize>, '='>>>::VARIES
            || <__npy::FieldPlan<Origin>>::VARIES
            || <__npy::FieldPlan<Option<f32>>>::VARIES;
        const GROWS: bool = <__npy::FieldPlan<f64>>::GROWS
            && <__npy::FieldPlan<u8>>::GROWS
            && <__npy::FieldPlan<String, __npy::As<__npy::FixedUnicode<8usize>, '='>>>::GROWS
            && <__npy::FieldPlan<Origin>>::GROWS
            && <__npy::FieldPlan<Option<f32>>>::GROWS;
        const SENDS: __npy::Option<__npy::Sends<Self>> = __npy::Probe::<Self>::SENDS;
        fn dtype() -> __npy::DType {
            __npy::dtype_of_record::<Self>()
        }
        fn dtype_of<'record>(records: __npy::Option<impl __npy::Iterator<Item = &'record Self> + __npy::Clone>) -> __npy::DType
        where
            Self: 'record,
        {
            __npy::RecordBuilder::new(__npy::Cursor::packed(), __npy::None)
                .field::<_, f64, __npy::CodecOf<f64>>("time", &records, |record| &record.time)
                .field::<_, u8, __npy::CodecOf<u8>>("quality", &records, |record| &record.quality)
                .field::<_, String, __npy::As<__npy::FixedUnicode<8usize>, '='>>("station", &records, |record| &record.station)
                .flatten::<_, Origin>(&records, |record| &record.origin)
                .optional::<_, f32, __npy::CodecOf<Option<f32>>>("depth", &records, |record| &record.depth)
                .finish()
        }
        fn plan(dtype: &__npy::DType, planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
            __npy::plan_record::<Self>(dtype, planner)
        }
        #[inline(always)]
        fn decode(plan: &Self::Plan, record: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
            __npy::Ok(Self {
                time: plan.time.decode("time", record)?,
                quality: match plan.quality {
                    __npy::Some(field) => field.decode("quality", record)?,
                    __npy::None => __npy::Default::default(),
                },
                station: plan.station.decode("station", record)?,
                origin: plan.origin.decode_flattened(record)?,
                depth: match plan.depth {
                    __npy::Some(field) => field.decode("depth", record)?,
                    __npy::None => __npy::None,
                },
                cache: __npy::Default::default(),
            })
        }
        #[inline(always)]
        fn encode(value: &Self, plan: &Self::Plan, record: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
            plan.time.encode("time", &value.time, record)?;
            if let __npy::Some(field) = plan.quality {
                field.encode("quality", &value.quality, record)?;
            }
            plan.station.encode("station", &value.station, record)?;
            plan.origin.encode_flattened(&value.origin, record)?;
            if let __npy::Some(field) = plan.depth {
                field.encode("depth", &value.depth, record)?;
            }
            __npy::Ok(())
        }
    }
    #[automatically_derived]
    impl __npy::NpyRecord for Pick
    where
        f64: __npy::NpyElement,
        u8: __npy::NpyElement,
        __npy::As<__npy::FixedUnicode<8usize>, '='>: __npy::Codec<String>,
        Origin: __npy::NpyRecord,
        f32: __npy::NpyElement,
    {
        const NAMES: &'static [__npy::FieldName] = __npy::distinct(&[
            __npy::FieldName::own("time"),
            __npy::FieldName::own("quality"),
            __npy::FieldName::own("station").with_aliases(&["name"]),
            __npy::FieldName::Flattened(<Origin as __npy::NpyRecord>::NAMES),
            __npy::FieldName::own("depth"),
        ]);
        fn plan_fields(record: __npy::FileRecord<'_>, planner: &mut __npy::Planner) -> __npy::Option<__npy::PlanOf<Self>> {
            let __time = record.find(0, planner);
            let __quality = record.find_if_there(1, planner);
            let __station = record.find(2, planner);
            let __origin = record.flatten(planner);
            let __depth = record.find_if_there(4, planner);
            __npy::Some(__PickPlan { time: __time?, quality: __quality?, station: __station?, origin: __origin?, depth: __depth? })
        }
    }
    const _: () = __npy::Probe::<Pick>::RECORD;
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
    use __npy::Otherwise as _;
    use ::npy_core::__private as __npy;
    pub struct __SamplePlan
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        id: __npy::FieldPlan<u8>,
        time: __npy::FieldPlan<f64>,
    }
    __npy::plan! { [] [__SamplePlan] [where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    ] [id time]
        const fn place(order: __npy::ByteOrder) -> __npy::Option<__npy::Layout<Self>> {
            let mut cursor = __npy::Cursor::aligned();
            let __npy::Some(__id) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            let __npy::Some(__time) = __npy::FieldPlan::place(&mut cursor, order) else { return __npy::None };
            __npy::Some(__npy::Layout { itemsize: cursor.finish(), plan: Self { id: __id, time: __time } })
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
    impl __npy::Codec<Self> for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        type Plan = __SamplePlan;
        const LITTLE: __npy::Option<__npy::Layout<Self::Plan>> = __SamplePlan::place(__npy::ByteOrder::Little);
        const BIG: __npy::Option<__npy::Layout<Self::Plan>> = __SamplePlan::place(__npy::ByteOrder::Big);
        const ALIGNMENT: usize = __npy::largest(&[<__npy::FieldPlan<u8>>::ALIGNMENT, <__npy::FieldPlan<f64>>::ALIGNMENT]);
        const VARIES: bool = <__npy::FieldPlan<u8>>::VARIES || <__npy::FieldPlan<f64>>::VARIES;
        const GROWS: bool = <__npy::FieldPlan<u8>>::GROWS && <__npy::FieldPlan<f64>>::GROWS;
        const SENDS: __npy::Option<__npy::Sends<Self>> = __npy::Probe::<Self>::SENDS;
        const BULK: __npy::Option<__npy::Bulk<Self>> = __npy::bulk_of_view::<Self>();
        fn dtype() -> __npy::DType {
            __npy::dtype_of_record::<Self>()
        }
        fn dtype_of<'record>(records: __npy::Option<impl __npy::Iterator<Item = &'record Self> + __npy::Clone>) -> __npy::DType
        where
            Self: 'record,
        {
            __npy::RecordBuilder::new(__npy::Cursor::aligned(), __npy::None)
                .field::<_, u8, __npy::CodecOf<u8>>("id", &records, |record| &record.id)
                .field::<_, f64, __npy::CodecOf<f64>>("time", &records, |record| &record.time)
                .finish()
        }
        fn plan(dtype: &__npy::DType, planner: &mut __npy::Planner) -> __npy::Option<Self::Plan> {
            __npy::plan_record::<Self>(dtype, planner)
        }
        #[inline(always)]
        fn decode(plan: &Self::Plan, record: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
            __npy::Ok(Self { id: plan.id.decode("id", record)?, time: plan.time.decode("time", record)? })
        }
        #[inline(always)]
        fn encode(value: &Self, plan: &Self::Plan, record: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
            plan.id.encode("id", &value.id, record)?;
            plan.time.encode("time", &value.time, record)?;
            __npy::Ok(())
        }
    }
    #[automatically_derived]
    impl __npy::NpyRecord for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        const NAMES: &'static [__npy::FieldName] = &[__npy::FieldName::own("id"), __npy::FieldName::own("time")];
        fn plan_fields(record: __npy::FileRecord<'_>, planner: &mut __npy::Planner) -> __npy::Option<__npy::PlanOf<Self>> {
            let __id = record.find(0, planner);
            let __time = record.find(1, planner);
            __npy::Some(__SamplePlan { id: __id?, time: __time? })
        }
    }
    #[automatically_derived]
    unsafe impl __npy::NpyView for Sample
    where
        u8: __npy::NpyView,
        f64: __npy::NpyView,
    {
        const PROOF: () = match __npy::native::<Self>() {
            __npy::Some(layout) => {
                __npy::assert_field::<u8>(
                    layout.plan.id.offset() == __npy::offset_of!(Self, id),
                    "`Sample` cannot be viewed: the offset of `id` in memory is not that in the file; NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too",
                );
                __npy::assert_field::<f64>(
                    layout.plan.time.offset() == __npy::offset_of!(Self, time),
                    "`Sample` cannot be viewed: the offset of `time` in memory is not that in the file; NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too",
                );
                __npy::assert_layout(
                    layout.itemsize == __npy::size_of::<Self>(),
                    "`Sample` cannot be viewed: its size in memory is not its itemsize in the file; NumPy aligns it differently; a struct in this one may need `#[npy(align)]` too",
                );
            }
            __npy::None => __npy::assert_layout(false, "`Sample` cannot be viewed: its layout is not known at compile time"),
        };
        const HAS_PADDING: bool = __npy::size_of::<Self>() != __npy::size_of::<u8>() + __npy::size_of::<f64>()
            || <u8 as __npy::NpyView>::HAS_PADDING
            || <f64 as __npy::NpyView>::HAS_PADDING;
        const HAS_INVALID: bool = <u8 as __npy::NpyView>::HAS_INVALID || <f64 as __npy::NpyView>::HAS_INVALID;
        #[inline(always)]
        fn check(bytes: &[u8]) -> __npy::Result<(), __npy::ValueError> {
            __npy::check_field::<u8>(bytes, __npy::offset_of!(Self, id), "id")?;
            __npy::check_field::<f64>(bytes, __npy::offset_of!(Self, time), "time")?;
            __npy::Ok(())
        }
    }
    const _: () = __npy::Probe::<Sample>::VIEW;
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
    use __npy::Otherwise as _;
    use ::npy_core::__private as __npy;
    #[automatically_derived]
    impl __npy::NpyElement for Phase {
        type Codec = Self;
        type Widened = Self;
    }
    #[automatically_derived]
    impl __npy::Codec<Self> for Phase {
        type Plan = <u8 as __npy::Codec<u8>>::Plan;
        const LITTLE: __npy::Option<__npy::Layout<<u8 as __npy::Codec<u8>>::Plan>> = <u8 as __npy::Codec<u8>>::LITTLE;
        const BIG: __npy::Option<__npy::Layout<<u8 as __npy::Codec<u8>>::Plan>> = <u8 as __npy::Codec<u8>>::BIG;
        const ALIGNMENT: usize = <u8 as __npy::Codec<u8>>::ALIGNMENT;
        const SENDS: __npy::Option<__npy::Sends<Self>> = __npy::Probe::<Self>::SENDS;
        fn dtype() -> __npy::DType {
            <u8 as __npy::Codec<u8>>::dtype()
        }
        fn plan(dtype: &__npy::DType, planner: &mut __npy::Planner) -> __npy::Option<<u8 as __npy::Codec<u8>>::Plan> {
            <u8 as __npy::Codec<u8>>::plan(dtype, planner)
        }
        #[inline(always)]
        fn decode(plan: &<u8 as __npy::Codec<u8>>::Plan, bytes: &[u8]) -> __npy::Result<Self, __npy::ValueError> {
            match <u8 as __npy::Codec<u8>>::decode(plan, bytes)? {
                number if number == Self::P as u8 => __npy::Ok(Self::P),
                number if number == Self::S as u8 => __npy::Ok(Self::S),
                number => __npy::Err(__npy::unknown_variant::<Self>(
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
        fn encode(value: &Self, plan: &<u8 as __npy::Codec<u8>>::Plan, bytes: &mut [u8]) -> __npy::Result<(), __npy::ValueError> {
            let number = match value {
                Self::P => Self::P as u8,
                Self::S => Self::S as u8,
            };
            <u8 as __npy::Codec<u8>>::encode(&number, plan, bytes)
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
    use ::npy_ndarray::__private as __npy;
    #[automatically_derived]
    impl __npy::NpzArchive for Run {
        fn plan_read<__R: __npy::Read + __npy::Seek>(plan: &mut __npy::ReadPlan<'_, __R>) -> __npy::Pending<Self> {
            let __matrix = <Array2<f64> as __npy::NpzField<_>>::plan_first(&["matrix"], plan);
            let __optimizer = <Optimizer as __npy::NpzField<_>>::plan_first(&["optimizer"], plan);
            let __comment = <String as __npy::NpzField<_>>::plan_if_there(&["comment"], plan);
            let __epochs = <u32 as __npy::NpzField<_>>::plan_if_there(&["epochs", "n"], plan);
            let __others = <BTreeMap<String, ArrayD<f32>> as __npy::NpzArchive>::plan_read(plan);
            __npy::Box::new(move || {
                __npy::Ok(Self {
                    matrix: __matrix()?,
                    optimizer: __optimizer()?,
                    comment: match __comment {
                        __npy::Some(__comment) => __npy::Some(__comment()?),
                        __npy::None => __npy::None,
                    },
                    epochs: match __epochs {
                        __npy::Some(__epochs) => __epochs()?,
                        __npy::None => one(),
                    },
                    cache: <Vec<u8> as __npy::Default>::default(),
                    others: __others()?,
                })
            })
        }
        fn write_members<__W: __npy::Write>(&self, archive: &mut __npy::MemberWriter<'_, __W>) -> __npy::Result<()> {
            <Array2<f64> as __npy::NpzField<_>>::write(&self.matrix, "matrix", archive)?;
            <Optimizer as __npy::NpzField<_>>::write(&self.optimizer, "optimizer", archive)?;
            if let __npy::Some(value) = &self.comment {
                <String as __npy::NpzField<_>>::write(value, "comment", archive)?;
            }
            <u32 as __npy::NpzField<_>>::write(&self.epochs, "epochs", archive)?;
            <BTreeMap<String, ArrayD<f32>> as __npy::NpzArchive>::write_members(&self.others, archive)?;
            __npy::Ok(())
        }
    }
};
