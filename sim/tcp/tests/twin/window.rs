//! Windows and round-trip times of the twin, written down once more from Linux's `tcp_cubic.c`, `tcp_cong.c` and
//! `tcp_input.c`, with their names.

use fedbits_tcp::Congestion;

const S: u64 = 1_000_000_000;
const MS: u64 = 1_000_000;

#[derive(Default)]
pub struct Window {
    pub reno: bool,
    pub cwnd: u64,
    pub ssthresh: u64,
    cwnd_cnt: u64,
    cnt: u64,
    last_max_cwnd: u64,
    last_cwnd: u64,
    last_time: u64,
    origin_point: u64,
    k: u64,
    delay_min: u64,
    epoch_start: Option<u64>,
    ack_cnt: u64,
    tcp_cwnd: u64,
    found: bool,
    round_start: u64,
    last_ack: u64,
    end_seq: u64,
    curr_rtt: u64,
    sample_cnt: u32,
}

impl Window {
    pub fn new(kind: Congestion, cwnd: u64, now: u64) -> Self {
        let reno = kind == Congestion::Reno;
        let mut window = Self { reno, cwnd, ssthresh: u64::MAX, ..Self::default() };
        window.hystart_reset(now, 0);
        window
    }

    fn hystart_reset(&mut self, now: u64, next: u64) {
        (self.round_start, self.last_ack, self.end_seq, self.curr_rtt, self.sample_cnt) = (now, now, next, u64::MAX, 0);
    }

    pub fn pkts_acked(&mut self, now: u64, delay: u64, una: u64, next: u64) {
        if self.reno || self.epoch_start.is_some_and(|epoch| now - epoch < S) {
            return;
        }
        if self.delay_min == 0 || self.delay_min > delay {
            self.delay_min = delay.max(1);
        }
        if self.found || self.cwnd >= self.ssthresh {
            return;
        }
        if una > self.end_seq {
            self.hystart_reset(now, next);
        }
        if self.cwnd < 16 {
            return;
        }
        if now - self.last_ack <= 2 * MS {
            self.last_ack = now;
            if now - self.round_start > (self.delay_min + MS) / 2 {
                self.found = true;
            }
        }
        self.curr_rtt = self.curr_rtt.min(delay);
        if self.sample_cnt < 8 {
            self.sample_cnt += 1;
        } else if self.curr_rtt > self.delay_min + (self.delay_min / 8).clamp(4 * MS, 16 * MS) {
            self.found = true;
        }
        if self.found {
            self.ssthresh = self.cwnd;
        }
    }

    pub fn cong_avoid(&mut self, now: u64, acked: u64) {
        let mut acked = acked;
        while acked > 0 && self.cwnd < self.ssthresh {
            self.cwnd += 1;
            acked -= 1;
        }
        if acked == 0 {
            return;
        }
        if !self.reno {
            self.bictcp_update(now, acked);
        }
        let w = if self.reno { self.cwnd } else { self.cnt };
        if self.cwnd_cnt >= w {
            self.cwnd_cnt = 0;
            self.cwnd += 1;
        }
        self.cwnd_cnt += acked;
        while self.cwnd_cnt >= w {
            self.cwnd_cnt -= w;
            self.cwnd += 1;
        }
    }

    fn bictcp_update(&mut self, now: u64, acked: u64) {
        let cwnd = self.cwnd;
        self.ack_cnt += acked;
        if self.last_cwnd == cwnd && now - self.last_time <= S / 32 {
            return;
        }
        if self.epoch_start.is_none() || now - self.last_time >= MS {
            (self.last_cwnd, self.last_time) = (cwnd, now);
            if self.epoch_start.is_none() {
                self.epoch_start = Some(now);
                (self.ack_cnt, self.tcp_cwnd) = (acked, cwnd);
                (self.k, self.origin_point) = (0, cwnd);
                if self.last_max_cwnd > cwnd {
                    let cube = (1u64 << 40) / 410 * (self.last_max_cwnd - cwnd);
                    self.k = libm::cbrt(cube as f64) as u64;
                    self.origin_point = self.last_max_cwnd;
                }
            }
            let t = u128::from(now - self.epoch_start.unwrap() + self.delay_min) * 1024 / u128::from(S);
            let k = u128::from(self.k);
            let offs = t.max(k) - t.min(k);
            let delta = ((410 * offs * offs * offs) >> 40) as u64;
            let target = if t < k { self.origin_point.saturating_sub(delta) } else { self.origin_point + delta };
            self.cnt = if target > cwnd { cwnd / (target - cwnd) } else { 100 * cwnd };
            if self.last_max_cwnd == 0 && self.cnt > 20 {
                self.cnt = 20;
            }
        }
        let delta = (cwnd * 15) >> 3;
        while self.ack_cnt > delta && delta > 0 {
            self.ack_cnt -= delta;
            self.tcp_cwnd += 1;
        }
        if self.tcp_cwnd > cwnd {
            self.cnt = self.cnt.min(cwnd / (self.tcp_cwnd - cwnd));
        }
        self.cnt = self.cnt.max(2);
    }

    pub fn recalc_ssthresh(&mut self) {
        if self.reno {
            self.ssthresh = (self.cwnd >> 1).max(2);
            return;
        }
        self.epoch_start = None;
        let less = self.cwnd < self.last_max_cwnd;
        self.last_max_cwnd = if less { self.cwnd * (1024 + 717) / 2048 } else { self.cwnd };
        self.ssthresh = (self.cwnd * 717 / 1024).max(2);
    }

    pub fn loss(&mut self, now: u64, next: u64) {
        let Self { reno, cwnd, ssthresh, cwnd_cnt, .. } = *self;
        *self = Self { reno, cwnd, ssthresh, cwnd_cnt, ..Self::default() };
        self.hystart_reset(now, next);
    }

    pub fn tx_start(&mut self, now: u64, idle: u64) {
        if let Some(epoch) = &mut self.epoch_start {
            *epoch = (*epoch + idle).min(now);
        }
    }
}

/// `tcp_rtt_estimator` and `tcp_set_rto`.
pub struct Rtt {
    pub srtt8: u64,
    mdev4: u64,
    mdev_max: u64,
    rttvar: u64,
    rtt_seq: u64,
    pub min: u64,
    pub rto: u64,
}

impl Rtt {
    pub fn new() -> Self {
        Self { srtt8: 0, mdev4: 0, mdev_max: 0, rttvar: 0, rtt_seq: 0, min: u64::MAX, rto: S }
    }

    pub fn sample(&mut self, rtt: u64, una: u64, next: u64) {
        let rtt = rtt.max(1);
        self.min = self.min.min(rtt);
        if self.srtt8 == 0 {
            (self.srtt8, self.mdev4) = (8 * rtt, 2 * rtt);
            self.rttvar = (2 * rtt).max(200 * MS);
            (self.mdev_max, self.rtt_seq) = (self.rttvar, next);
        } else {
            let before = self.srtt8 / 8;
            self.srtt8 = (self.srtt8 + rtt - before).max(1);
            let error = rtt.abs_diff(before);
            let mean = self.mdev4 / 4;
            if error >= mean {
                let more = error - mean;
                self.mdev4 += if rtt < before { more / 8 } else { more };
            } else {
                self.mdev4 -= mean - error;
            }
            if self.mdev4 > self.mdev_max {
                self.mdev_max = self.mdev4;
                self.rttvar = self.rttvar.max(self.mdev_max);
            }
            if una > self.rtt_seq {
                if self.mdev_max < self.rttvar {
                    self.rttvar -= (self.rttvar - self.mdev_max) / 4;
                }
                (self.rtt_seq, self.mdev_max) = (next, 200 * MS);
            }
        }
        self.rto = (self.srtt8 / 8 + self.rttvar).min(120 * S);
    }

    pub fn srtt(&self) -> Option<u64> {
        (self.srtt8 > 0).then_some(self.srtt8 / 8)
    }
}
