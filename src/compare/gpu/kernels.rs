//! The compute pipelines for one dtype.

use std::borrow::Cow;

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions,
    PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::tensor::{ComplexNumber, DType, Encoding, Number, Specials, Visit};

use super::super::Options;
use super::super::accelerator::Failure;
use super::context::Context;

/// The maximum number of further tolerances that `shaders/tolerances.wgsl` counts.
pub(super) const MAX_FURTHER: usize = 256;

const COMPARE: &str = concat!(
    include_str!("../../../shaders/soft_f64.wgsl"),
    include_str!("../../../shaders/pair.wgsl"),
    include_str!("../../../shaders/compare.wgsl"),
);
const TOLERANCES: &str = concat!(
    include_str!("../../../shaders/soft_f64.wgsl"),
    include_str!("../../../shaders/pair.wgsl"),
    include_str!("../../../shaders/tolerances.wgsl"),
);
const HISTOGRAM: &str = concat!(
    include_str!("../../../shaders/soft_f64.wgsl"),
    include_str!("../../../shaders/pair.wgsl"),
    include_str!("../../../shaders/histogram.wgsl"),
);

/// Which kernels are needed in addition to the first.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub(super) struct Needs {
    pub(super) further: bool,
    pub(super) histogram: bool,
}

impl Needs {
    pub(super) fn of(options: &Options) -> Self {
        Self { further: !options.further.is_empty(), histogram: options.histogram }
    }
}

/// The pipelines for one dtype, in the order in which they run.
pub(super) struct Kernels {
    pub(super) layout: BindGroupLayout,
    pub(super) pipelines: Vec<ComputePipeline>,
}

impl Kernels {
    pub(super) fn new(context: &Context, dtype: DType, needs: Needs) -> Result<Self, Failure> {
        let sources = [
            Some(COMPARE),
            needs.further.then_some(TOLERANCES),
            needs.histogram.then_some(HISTOGRAM),
        ];
        context.scoped(|| {
            let layout = layout(&context.device);
            let pipelines = sources.into_iter().flatten();
            let pipelines =
                pipelines.map(|source| pipeline(&context.device, &layout, source, dtype));
            Self { pipelines: pipelines.collect(), layout }
        })
    }
}

/// The bindings of `shaders/pair.wgsl`.
fn layout(device: &wgpu::Device) -> BindGroupLayout {
    let storage = |read_only| BufferBindingType::Storage { read_only };
    let types =
        [storage(true), storage(true), BufferBindingType::Uniform, storage(true), storage(false)];
    let entries: Vec<_> = (0..)
        .zip(types)
        .map(|(binding, ty)| BindGroupLayoutEntry {
            binding,
            visibility: ShaderStages::COMPUTE,
            ty: BindingType::Buffer { ty, has_dynamic_offset: false, min_binding_size: None },
            count: None,
        })
        .collect();
    device.create_bind_group_layout(&BindGroupLayoutDescriptor { label: None, entries: &entries })
}

fn pipeline(
    device: &wgpu::Device,
    layout: &BindGroupLayout,
    source: &'static str,
    dtype: DType,
) -> ComputePipeline {
    let module = device.create_shader_module(ShaderModuleDescriptor {
        label: None,
        source: ShaderSource::Wgsl(Cow::Borrowed(source)),
    });
    let constants = dtype.visit(Constants);
    device.create_compute_pipeline(&ComputePipelineDescriptor {
        label: None,
        layout: Some(&device.create_pipeline_layout(&PipelineLayoutDescriptor {
            bind_group_layouts: &[Some(layout)],
            ..PipelineLayoutDescriptor::default()
        })),
        module: &module,
        entry_point: Some("main"),
        compilation_options: PipelineCompilationOptions {
            constants: &constants,
            ..PipelineCompilationOptions::default()
        },
        cache: None,
    })
}

/// The `override` constants of `shaders/pair.wgsl` for a dtype.
struct Constants;

type Named = [(&'static str, f64); 6];

impl Visit for Constants {
    type Out = Named;

    fn number<T: Number>(self) -> Named {
        let width = 8 * u32::try_from(size_of::<T>()).unwrap_or_default();
        match T::ENCODING {
            Encoding::Float(layout) => {
                let special = match layout.specials {
                    Specials::Ieee => 0,
                    Specials::AllOnes => 1,
                    Specials::NegativeZero => 2,
                    Specials::None => 3,
                };
                // Of a fraction of two words, the shader looks at the high one.
                let fraction = if width == 64 { 20 } else { layout.mantissa_bits };
                named(
                    0,
                    width,
                    layout.bits(),
                    [fraction.into(), layout.bias.into(), special.into()],
                )
            }
            Encoding::Integer { bits, signed } => {
                named(if signed { 1 } else { 2 }, width, bits, [0.0; 3])
            }
        }
    }

    fn complex<T: ComplexNumber>(self) -> Named {
        // Not accepted; see `Gpu::accepts`.
        self.bytes()
    }

    fn boolean(self) -> Named {
        named(3, 8, 8, [0.0; 3])
    }

    fn bytes(self) -> Named {
        named(3, 8, 8, [0.0; 3])
    }
}

fn named(kind: u32, width: u32, bits: u32, [fraction, bias, special]: [f64; 3]) -> Named {
    [
        ("KIND", kind.into()),
        ("WIDTH", width.into()),
        ("BITS", bits.into()),
        ("FRACTION", fraction),
        ("BIAS", bias),
        ("SPECIAL", special),
    ]
}
