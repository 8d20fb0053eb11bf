//! Random numbers.

/// A source of random numbers that are the same in every run.
#[derive(Debug)]
pub enum Random {
    /// A small generator (SplitMix64).
    Seed(u64),
    /// Given numbers, followed by zeros.
    Tape(std::vec::IntoIter<u64>),
}

impl Random {
    pub fn new(seed: u64) -> Self {
        Self::Seed(seed)
    }

    pub fn of_tape(numbers: &[u64]) -> Self {
        let numbers = numbers.to_vec();
        Self::Tape(numbers.into_iter())
    }

    pub fn next(&mut self) -> u64 {
        let state = match self {
            Self::Seed(state) => state,
            Self::Tape(numbers) => return numbers.next().unwrap_or_default(),
        };
        *state = state.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = *state;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    pub fn below(&mut self, bound: u64) -> u64 {
        let number = self.next();
        match self {
            Self::Seed(_) => number % bound,
            // A smaller number gives a smaller result, so that a tape can be simplified.
            Self::Tape(_) => ((u128::from(number) * u128::from(bound)) >> 64) as u64,
        }
    }

    pub fn one_in(&mut self, n: u64) -> bool {
        self.below(n) == 0
    }

    pub fn bytes(&mut self, len: usize) -> Vec<u8> {
        (0..len).map(|_| self.next() as u8).collect()
    }
}
