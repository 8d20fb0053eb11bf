// The number of pairs of a batch that mismatch under each further tolerance. Follows `pair.wgsl`.

var<workgroup> mismatched: array<atomic<u32>, MAX_FURTHER>;

@compute @workgroup_size(INVOCATIONS)
fn main(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let start = tile.x * TILE;
    let elements = min(TILE, job.elements - start);
    let further = min(job.further, MAX_FURTHER);
    for (var i = invocation; i < elements; i += INVOCATIONS) {
        let pair = pair_at(start + i);
        if !pair.differs && (pair.lhs_kind != NAN || job.nan_differs == 0u) {
            continue;
        }
        // Neighboring invocations begin with different rules, so that they rarely add to the same count at once.
        var rule = invocation % further;
        for (var n = 0u; n < further; n++) {
            if !is_close(pair, rules[rule + 1u]) {
                atomicAdd(&mismatched[rule], 1u);
            }
            rule = select(rule + 1u, 0u, rule + 1u == further);
        }
    }
    workgroupBarrier();
    if invocation < further {
        let count = atomicLoad(&mismatched[invocation]);
        if count > 0u {
            atomicAdd(&results[job.further_at + invocation], count);
        }
    }
    if invocation == 0u {
        prove();
    }
}
