//! The compute pipelines for one dtype.

use std::borrow::Cow;

use wgpu::{
    BindGroupLayout, BindGroupLayoutDescriptor, BindGroupLayoutEntry, BindingType,
    BufferBindingType, ComputePipeline, ComputePipelineDescriptor, PipelineCompilationOptions,
    PipelineLayoutDescriptor, ShaderModuleDescriptor, ShaderSource, ShaderStages,
};

use crate::tensor::{ComplexNumber, DType, Encoding, Number, Specials, Visit};

use super::super::accelerator::Failure;
use super::constants::{ALL_ONES, EQUALITY, FLOAT, IEEE, MINUS_ZERO, NONE, SIGNED, UNSIGNED};
use super::context::Context;
use super::needs::Needs;
use super::source;

/// The pipelines for one dtype, in the order in which they run.
pub(super) struct Kernels {
    pub(super) layout: BindGroupLayout,
    pub(super) pipelines: Vec<ComputePipeline>,
}

impl Kernels {
    pub(super) fn new(context: &Context, dtype: DType, needs: Needs) -> Result<Self, Failure> {
        let kernels = source::kernels().into_iter().zip(needs.kernels());
        let needed = kernels.filter_map(|(source, is_needed)| is_needed.then_some(source));
        context.scoped(|| {
            let layout = layout(&context.device);
            let pipelines = needed.map(|source| pipeline(&context.device, &layout, source, dtype));
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
    source: String,
    dtype: DType,
) -> ComputePipeline {
    let module = device.create_shader_module(ShaderModuleDescriptor {
        label: None,
        source: ShaderSource::Wgsl(Cow::Owned(source)),
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
                    Specials::Ieee => IEEE,
                    Specials::AllOnes => ALL_ONES,
                    Specials::NegativeZero => MINUS_ZERO,
                    Specials::None => NONE,
                };
                // If the fraction has two words, the shader looks at the high one.
                let fraction = if width == 64 { 20 } else { layout.fraction_bits };
                named(
                    FLOAT,
                    width,
                    layout.bits(),
                    [fraction.into(), layout.bias.into(), special.into()],
                )
            }
            Encoding::Integer { bits, signed } => {
                named(if signed { SIGNED } else { UNSIGNED }, width, bits, [0.0; 3])
            }
        }
    }

    fn complex<T: ComplexNumber>(self) -> Named {
        // Not accepted; see `Gpu::accepts`.
        self.bytes()
    }

    fn boolean(self) -> Named {
        named(EQUALITY, 8, 8, [0.0; 3])
    }

    fn bytes(self) -> Named {
        named(EQUALITY, 8, 8, [0.0; 3])
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
