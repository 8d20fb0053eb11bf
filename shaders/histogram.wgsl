// The differences of a batch counted by powers of two. Follows `pair.wgsl`.

/// One bin for each power of two from `LEAST_POWER` to that of differences that overflowed, then the bins of ulps.
const BINS = ABS_BINS + ULP_BINS;

var<workgroup> bins: array<atomic<u32>, BINS>;

fn exponent(bits: Wide) -> i32 {
    let biased = i32(bits.y >> 20u);
    return select(biased - 1023, -1011 - i32(leading_zeros(bits)), biased == 0);
}

@compute @workgroup_size(INVOCATIONS)
fn main(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let start = tile.x * TILE;
    let elements = min(TILE, job.elements - start);
    for (var i = invocation; i < elements; i += INVOCATIONS) {
        let pair = pair_at(start + i);
        if !pair.finite {
            continue;
        }
        if !is_zero(pair.abs_diff) {
            atomicAdd(&bins[u32(exponent(pair.abs_diff) - LEAST_POWER)], 1u);
        }
        if !is_zero(pair.ulps) {
            atomicAdd(&bins[BINS - 1u - leading_zeros(pair.ulps)], 1u);
        }
    }
    workgroupBarrier();
    for (var bin = invocation; bin < BINS; bin += INVOCATIONS) {
        let count = atomicLoad(&bins[bin]);
        if count > 0u {
            atomicAdd(&results[job.bins_at + bin], count);
        }
    }
    if invocation == 0u {
        prove();
    }
}
