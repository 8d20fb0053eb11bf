// The statistics of each tile of a batch: counts, the first mismatch, maxima. Follows `pair.wgsl`.
//
// One workgroup computes one tile. All results are sums, minima and maxima of integers, which do not depend on the order.

/// The words of a tile before `FIRST` are sums; `src/compare/gpu/words.rs` reads them all.
const SUMS = FIRST;

var<workgroup> counts: array<atomic<u32>, SUMS>;
var<workgroup> first: atomic<u32>;
var<workgroup> relative: atomic<u32>;
var<workgroup> diffs: array<Wide, INVOCATIONS>;
var<workgroup> places: array<u32, INVOCATIONS>;
var<workgroup> ulps: array<Wide, INVOCATIONS>;

/// An upper bound of `abs_diff / magnitude`, whose bits order as the quotients do: an exponent, offset by `RELATIVE_BIAS`, and
/// `RELATIVE_FRACTION` bits of fraction. It exceeds the quotient by less than 2^-13 of it. Neither operand may be zero.
fn relative_bound(abs_diff: Wide, magnitude: Real) -> u32 {
    if abs_diff.y == 0x7ff00000u {
        return 0xffffffffu;
    }
    let numerator = from_bits(abs_diff);
    let quotient = (((numerator.significand.y >> 16u) + 1u) << 15u) / (magnitude.significand.y >> 16u) + 1u;
    let by = countLeadingZeros(quotient) - (31u - RELATIVE_FRACTION);
    let exponent = numerator.exponent - magnitude.exponent + 2 - i32(by);
    return (u32(exponent + RELATIVE_BIAS) << RELATIVE_FRACTION) | ((quotient << by) & ((1u << RELATIVE_FRACTION) - 1u));
}

/// The statistics of one invocation.
var<private> mine: array<u32, SUMS>;
var<private> my_first: u32;
var<private> my_relative: u32;
var<private> my_diff: Wide;
var<private> my_place: u32;
var<private> my_ulps: Wide;

/// Adds a pair; `place` is `TILE` minus its index in the tile.
fn add(pair: Pair, place: u32) {
    let lhs_nan = pair.lhs_kind == NAN;
    let rhs_nan = pair.rhs_kind == NAN;
    mine[DIFFERING] += u32(pair.differs);
    mine[NAN_LHS] += u32(lhs_nan);
    mine[NAN_RHS] += u32(rhs_nan);
    mine[NAN_NEW] += u32(rhs_nan && !lhs_nan);
    mine[NAN_PAYLOAD] += u32(pair.differs && lhs_nan && rhs_nan);
    mine[INF_LHS] += u32(pair.lhs_kind == INFINITE);
    mine[INF_RHS] += u32(pair.rhs_kind == INFINITE);
    if !is_close(pair, rules[0]) {
        mine[MISMATCHED] += 1u;
        my_first = max(my_first, place);
    }
    let from_zero = pair.lhs_kind == FINITE && is_zero(pair.magnitude.significand);
    mine[ZERO_LHS] += u32(pair.differs && from_zero);
    if pair.finite {
        measure(pair, place, from_zero);
    } else {
        let any = Rule(Wide(0u, 0u), Wide(0u, 0u), Wide(0u, 0u), ATOL_RTOL, 0u);
        mine[NEVER_CLOSE] += u32(!is_close(pair, any));
    }
}

/// Adds the difference of a finite pair.
fn measure(pair: Pair, place: u32, from_zero: bool) {
    let apart = !is_zero(pair.abs_diff);
    mine[ZERO_SIGN] += u32(pair.differs && !apart);
    mine[NONZERO_LHS] += u32(!from_zero);
    mine[FROM_ZERO] += u32(from_zero && apart);
    if apart && !from_zero {
        my_relative = max(my_relative, relative_bound(pair.abs_diff, pair.magnitude));
    }
    if is_less(my_diff, pair.abs_diff) || my_place == 0u {
        my_diff = pair.abs_diff;
        my_place = place;
    }
    if is_less(my_ulps, pair.ulps) {
        my_ulps = pair.ulps;
    }
}

/// Merges the maxima of another invocation into those of this one.
fn join(invocation: u32, other: u32) {
    let larger = is_less(diffs[invocation], diffs[other]);
    let earlier = all(diffs[invocation] == diffs[other]) && places[invocation] < places[other];
    if larger || earlier {
        diffs[invocation] = diffs[other];
        places[invocation] = places[other];
    }
    if is_less(ulps[invocation], ulps[other]) {
        ulps[invocation] = ulps[other];
    }
}

@compute @workgroup_size(INVOCATIONS)
fn main(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) invocation: u32) {
    let start = tile.x * TILE;
    let elements = min(TILE, job.elements - start);
    for (var i = invocation; i < elements; i += INVOCATIONS) {
        add(pair_at(start + i), TILE - i);
    }
    for (var i = 0u; i < SUMS; i++) {
        if mine[i] > 0u {
            atomicAdd(&counts[i], mine[i]);
        }
    }
    atomicMax(&first, my_first);
    atomicMax(&relative, my_relative);
    diffs[invocation] = my_diff;
    places[invocation] = my_place;
    ulps[invocation] = my_ulps;
    workgroupBarrier();
    for (var half = INVOCATIONS / 2u; half > 0u; half /= 2u) {
        if invocation < half {
            join(invocation, invocation + half);
        }
        workgroupBarrier();
    }
    let at = tile.x * TILE_WORDS;
    if invocation < SUMS {
        atomicStore(&results[at + invocation], atomicLoad(&counts[invocation]));
    }
    if invocation == 0u {
        atomicStore(&results[at + FIRST], atomicLoad(&first));
        atomicStore(&results[at + RELATIVE], atomicLoad(&relative));
        atomicStore(&results[at + WORST], places[0]);
        atomicStore(&results[at + DIFF_LOW], diffs[0].x);
        atomicStore(&results[at + DIFF_HIGH], diffs[0].y);
        atomicStore(&results[at + ULP_LOW], ulps[0].x);
        atomicStore(&results[at + ULP_HIGH], ulps[0].y);
        prove();
    }
}
