//! Altered files without a fuzzer: the same from the same seed on every machine.

/// Random numbers that are the same in every run (xorshift64*).
#[derive(Clone, Debug)]
pub struct Random(u64);

impl Random {
    /// The numbers that belong to `seed`.
    #[must_use]
    pub fn new(seed: u64) -> Self {
        Self(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1)
    }

    /// A number below `limit`; 0 if that is 0.
    pub fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 >> 12;
        self.0 ^= self.0 << 25;
        self.0 ^= self.0 >> 27;
        let number = self.0.wrapping_mul(0x2545_f491_4f6c_dd1d) >> 33;
        usize::try_from(number)
            .unwrap_or(0)
            .checked_rem(limit)
            .unwrap_or(0)
    }
}

/// Numbers at which sizes go wrong.
const NUMBERS: [u64; 8] = [0, 1, 7, 255, 65_536, 1 << 31, 1 << 60, u64::MAX];

/// `whole` with some damage: bits turned, bytes and numbers replaced, parts cut, doubled, moved or taken from `other`.
#[must_use]
pub fn mutated(whole: &[u8], other: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = whole.to_vec();
    for _ in 0..=random.below(4) {
        let at = random.below(bytes.len());
        if bytes.is_empty() {
            break;
        }
        match random.below(7) {
            0 => bytes[at] ^= 1 << random.below(8),
            1 => bytes[at] = u8::try_from(random.below(256)).unwrap_or(0),
            2 => {
                let number = NUMBERS[random.below(NUMBERS.len())].to_le_bytes();
                let wanted = [1, 2, 4, 8][random.below(4)];
                let count = bytes.len().min(at + wanted) - at;
                bytes[at..at + count].copy_from_slice(&number[..count]);
            }
            3 => bytes.truncate(at),
            4 => {
                let part = bytes[at..bytes.len().min(at + 16)].to_vec();
                bytes.splice(at..at, part);
            }
            5 => {
                let from = random.below(other.len());
                let part = &other[from..other.len().min(from + 1 + random.below(32))];
                let end = bytes.len().min(at + random.below(32));
                bytes.splice(at..end, part.iter().copied());
            }
            _ => {
                let end = bytes.len().min(at + 1 + random.below(16));
                bytes.drain(at..end);
            }
        }
    }
    bytes
}
