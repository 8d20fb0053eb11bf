//! Measures the machine's limit for comparing two files: threads that read both files and compare the bytes.
//!
//! `cargo run --profile dist --example limit -- A B [THREADS]`

#![expect(
    clippy::print_stdout,
    clippy::indexing_slicing,
    clippy::cast_possible_truncation,
    reason = "a bench prints, and may fail"
)]

use std::fs::File;
use std::os::unix::fs::FileExt;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

const CHUNK: usize = 256 << 10;
const UNIT: u64 = 4 << 20;

fn main() -> std::io::Result<()> {
    let args: Vec<String> = std::env::args().skip(1).collect();
    let [a, b, rest @ ..] = args.as_slice() else {
        return Err(std::io::Error::other("usage: limit A B [THREADS]"));
    };
    let threads: usize = rest.first().and_then(|n| n.parse().ok()).unwrap_or(2);
    let (a, b) = (File::open(a)?, File::open(b)?);
    let len = a.metadata()?.len().min(b.metadata()?.len());
    let (next, differing) = (AtomicU64::new(0), AtomicU64::new(0));
    let start = Instant::now();
    std::thread::scope(|scope| {
        let workers: Vec<_> =
            (0..threads).map(|_| scope.spawn(|| work(&a, &b, len, &next, &differing))).collect();
        workers.into_iter().try_for_each(|worker| worker.join().expect("a worker panicked"))
    })?;
    let seconds = start.elapsed().as_secs_f64();
    let gigabytes = 2.0 * len as f64 / 1e9;
    let differing = differing.into_inner();
    println!("{seconds:.3} s, {:.1} GB/s, {differing} chunks differ", gigabytes / seconds);
    Ok(())
}

fn work(
    a: &File,
    b: &File,
    len: u64,
    next: &AtomicU64,
    differing: &AtomicU64,
) -> std::io::Result<()> {
    let (mut x, mut y) = (vec![0; CHUNK], vec![0; CHUNK]);
    loop {
        let unit = next.fetch_add(UNIT, Ordering::Relaxed);
        if unit >= len {
            return Ok(());
        }
        let end = len.min(unit + UNIT);
        for at in (unit..end).step_by(CHUNK) {
            let n = CHUNK.min((end - at) as usize);
            a.read_exact_at(&mut x[..n], at)?;
            b.read_exact_at(&mut y[..n], at)?;
            differing.fetch_add(u64::from(x[..n] != y[..n]), Ordering::Relaxed);
        }
    }
}
