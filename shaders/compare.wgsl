// What there is to say about each tile of a chunk: counts, the first mismatch, maxima. After `pair.wgsl`.
//
// One workgroup takes one tile. All it gives are sums, minima and maxima of integers, so no order shows.

/// Words of a tile in `results`; `src/compare/gpu/words.rs` reads them.
const DIFFERING = 0u;
const MISMATCHED = 1u;
const NAN_LHS = 2u;
const NAN_RHS = 3u;
const INF_LHS = 4u;
const INF_RHS = 5u;
const NAN_NEW = 6u;
const ZERO_SIGN = 7u;
const NAN_PAYLOAD = 8u;
const ZERO_LHS = 9u;
const HOPELESS = 10u;
const NONZERO_LHS = 11u;
const FROM_ZERO = 12u;
/// The words before this are counts.
const COUNTS = 13u;
/// Places are told as `TILE - index`: the first is the largest, and 0 is none.
const FIRST = 13u;
const RELATIVE = 14u;
const WORST = 15u;
const MAX_GAP = 16u;
const MAX_ULP = 18u;
const WORDS = 20u;

var<workgroup> counts: array<atomic<u32>, COUNTS>;
var<workgroup> first: atomic<u32>;
var<workgroup> relative: atomic<u32>;
var<workgroup> gaps: array<Wide, WORKERS>;
var<workgroup> places: array<u32, WORKERS>;
var<workgroup> ulps: array<Wide, WORKERS>;

/// An upper bound of `gap / size`, which orders as what it bounds: 14 bits of exponent, offset by 8192, and 17 of fraction,
/// below 2^-13 more than it bounds. Neither is zero.
fn relative_bound(gap: Wide, size: Real) -> u32 {
    if gap.y == 0x7ff00000u {
        return 0xffffffffu;
    }
    let numerator = from_bits(gap);
    let quotient = (((numerator.significand.y >> 16u) + 1u) << 15u) / (size.significand.y >> 16u) + 1u;
    let by = countLeadingZeros(quotient) - 14u;
    let exponent = numerator.exponent - size.exponent + 2 - i32(by);
    return (u32(exponent + 8192) << 17u) | ((quotient << by) & 0x1ffffu);
}

/// What a worker has seen.
var<private> mine: array<u32, COUNTS>;
var<private> my_first: u32;
var<private> my_relative: u32;
var<private> my_gap: Wide;
var<private> my_place: u32;
var<private> my_ulps: Wide;

/// Takes a pair in; `place` is `TILE` less its index in the tile.
fn see(pair: Pair, place: u32) {
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
    let from_zero = pair.lhs_kind == FINITE && is_zero(pair.size.significand);
    mine[ZERO_LHS] += u32(pair.differs && from_zero);
    if pair.finite {
        measure(pair, place, from_zero);
    } else {
        let any = Rule(Wide(0u, 0u), Wide(0u, 0u), Wide(0u, 0u), 1u, 0u);
        mine[HOPELESS] += u32(!is_close(pair, any));
    }
}

/// Takes in how far a finite pair is apart.
fn measure(pair: Pair, place: u32, from_zero: bool) {
    let apart = !is_zero(pair.gap);
    mine[ZERO_SIGN] += u32(pair.differs && !apart);
    mine[NONZERO_LHS] += u32(!from_zero);
    mine[FROM_ZERO] += u32(from_zero && apart);
    if apart && !from_zero {
        my_relative = max(my_relative, relative_bound(pair.gap, pair.size));
    }
    if is_less(my_gap, pair.gap) || my_place == 0u {
        my_gap = pair.gap;
        my_place = place;
    }
    if is_less(my_ulps, pair.ulps) {
        my_ulps = pair.ulps;
    }
}

/// Takes the maxima of another worker into those of this one.
fn join(worker: u32, other: u32) {
    let larger = is_less(gaps[worker], gaps[other]);
    let earlier = all(gaps[worker] == gaps[other]) && places[worker] < places[other];
    if larger || earlier {
        gaps[worker] = gaps[other];
        places[worker] = places[other];
    }
    if is_less(ulps[worker], ulps[other]) {
        ulps[worker] = ulps[other];
    }
}

@compute @workgroup_size(WORKERS)
fn main(@builtin(workgroup_id) tile: vec3<u32>, @builtin(local_invocation_index) worker: u32) {
    let start = tile.x * TILE;
    let elements = min(TILE, job.elements - start);
    for (var i = worker; i < elements; i += WORKERS) {
        see(pair_at(start + i), TILE - i);
    }
    for (var i = 0u; i < COUNTS; i++) {
        if mine[i] > 0u {
            atomicAdd(&counts[i], mine[i]);
        }
    }
    atomicMax(&first, my_first);
    atomicMax(&relative, my_relative);
    gaps[worker] = my_gap;
    places[worker] = my_place;
    ulps[worker] = my_ulps;
    workgroupBarrier();
    for (var half = WORKERS / 2u; half > 0u; half /= 2u) {
        if worker < half {
            join(worker, worker + half);
        }
        workgroupBarrier();
    }
    let at = tile.x * WORDS;
    if worker < COUNTS {
        atomicStore(&results[at + worker], atomicLoad(&counts[worker]));
    }
    if worker == 0u {
        atomicStore(&results[at + FIRST], atomicLoad(&first));
        atomicStore(&results[at + RELATIVE], atomicLoad(&relative));
        atomicStore(&results[at + WORST], places[0]);
        atomicStore(&results[at + MAX_GAP], gaps[0].x);
        atomicStore(&results[at + MAX_GAP + 1u], gaps[0].y);
        atomicStore(&results[at + MAX_ULP], ulps[0].x);
        atomicStore(&results[at + MAX_ULP + 1u], ulps[0].y);
        prove(0u);
    }
}
