//! A compressor that is a class of Python: `encode(x, rng) -> (decoded, bits)`, or `(decoded, bits, bytes)` where it
//! has `decode(bytes, d) -> decoded`, which the audit then calls.

use fedbits::codec::{
    BitReader, BitWriter, CodecError, Compressor, CompressorSetting, CounterKey, Draw, Encoded, ExpectedBits,
    WireFloat, check_dimension, check_finite,
};
use fedbits::spec::{Described, Facts, Findings, Path};
use fedbits_spec::Caveat;
use numpy::PyArray1;
use pyo3::exceptions::{PyTypeError, PyValueError};
use pyo3::prelude::*;
use pyo3::types::{PyBytes, PySequence};
use serde::{Deserialize, Serialize};

use crate::arrays::{finite_vector, full_name, kind, shown_value, vector};
use crate::model::generator;
use crate::objects::{Failure, Object};

/// A compressor that is a class of Python.
#[derive(Clone, Debug, Default, Described, Deserialize, PartialEq, Serialize)]
#[serde(deny_unknown_fields)]
#[described(crate = fedbits::spec, rules = rules)]
pub(crate) struct PythonCompressor {
    /// Name of the class.
    name: String,
    /// BLAKE2 of its source, or of its code where there is no source.
    source: String,
    /// Its attributes.
    settings: String,
    /// Of Python and NumPy.
    versions: String,
    /// Which of several objects of this description it is.
    #[serde(default, skip_serializing)]
    number: Option<u64>,
    /// Whether it writes and reads bytes.
    has_bytes: bool,
}

fn rules(setting: &PythonCompressor, _: &Path<'_>, _: &Facts, findings: &mut Findings) {
    if !setting.has_bytes {
        findings.caveat(Caveat::PythonCompressor { class: setting.name.clone() });
    }
}

impl CompressorSetting for PythonCompressor {
    fn build(&self, _: WireFloat, _: u32) -> Box<dyn Compressor> {
        let texts = [&self.name, &self.source, &self.settings, &self.versions];
        Box::new(Built { setting: self.clone(), object: Object::find("compressor", texts, self.number) })
    }

    fn examples() -> Vec<Self> {
        vec![Self::default()]
    }
}

struct Built {
    setting: PythonCompressor,
    /// The object, or why there is none.
    object: Result<Object, String>,
}

impl std::fmt::Debug for Built {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        self.setting.fmt(f)
    }
}

/// Of one message, 128 GiB: more is a difference that went below 0, and sums of such messages leave 64 bits.
const MOST_BITS: u64 = 1 << 40;

/// What `encode` gives.
struct Coded {
    decoded: Vec<f64>,
    bits: u64,
    bytes: Option<Vec<u8>>,
}

impl Built {
    fn call<T>(&self, what: &str, call: impl FnOnce(&Bound<'_, PyAny>) -> PyResult<T>) -> Result<T, CodecError> {
        let object = self.object.as_ref().map_err(|gone| CodecError::Other(gone.clone()))?;
        object.call(what, |object| call(object).map_err(Failure::Raised)).map_err(CodecError::Other)
    }

    fn coded(&self, object: &Bound<'_, PyAny>, x: &[f64], seed: u64) -> PyResult<Coded> {
        let (py, encode) = (object.py(), full_name(object, "encode"));
        let given = object.call_method1("encode", (PyArray1::from_slice(py, x), generator(py, seed)?))?;
        let wrong = |text: String| PyValueError::new_err(format!("{encode} gave {text}"));
        let (count, what) = match self.setting.has_bytes {
            true => (3, "(decoded, bits, bytes), as there is a method `decode`"),
            false => (2, "(decoded, bits)"),
        };
        let Ok(given) = given.cast::<PySequence>() else {
            return Err(wrong(format!("{}: expected {what}", kind(&given))));
        };
        if given.len()? < count {
            return Err(wrong(format!("{} values: expected {what}", given.len()?)));
        }
        let of = ", as many as x has";
        let decoded = finite_vector(&given.get_item(0)?, &format!("{encode} as decoded"), Some((x.len(), of)))?;
        let bits = given.get_item(1)?;
        let Some(bits) = bits.extract::<u64>().ok().filter(|&bits| bits <= MOST_BITS) else {
            let expected = format!("a whole number from 0 to {MOST_BITS}");
            return Err(wrong(format!("{} as bits: expected {expected}", shown_value(&bits))));
        };
        if !self.setting.has_bytes {
            return Ok(Coded { decoded, bits, bytes: None });
        }
        let bytes = given.get_item(2)?;
        let bytes: Vec<u8> =
            bytes.extract().map_err(|_| wrong(format!("{} as the message's bytes: expected `bytes`", kind(&bytes))))?;
        let (found, expected) = (bytes.len(), u64::div_ceil(bits, 8));
        if found as u64 != expected {
            return Err(wrong(format!("{found} bytes for {bits} bits: expected {expected}")));
        }
        Ok(Coded { decoded, bits, bytes: Some(bytes) })
    }
}

/// What a method states of vectors of this dimension: none where there is no such method, or it gives None.
fn stated(
    object: &Bound<'_, PyAny>,
    method: &str,
    dimension: usize,
    (is_right, expected): (&dyn Fn(f64) -> bool, &str),
) -> PyResult<Option<f64>> {
    let Some(bound) = object.getattr_opt(method)?.filter(|bound| !bound.is_none()) else { return Ok(None) };
    let name = full_name(object, method);
    if !bound.is_callable() {
        let found = shown_value(&bound);
        return Err(PyTypeError::new_err(format!(
            "{name} is {found}: expected a method of d, `def {method}(self, d)`"
        )));
    }
    let given = bound.call1((dimension,))?;
    if given.is_none() {
        return Ok(None);
    }
    match given.extract() {
        Ok(number) if is_right(number) => Ok(Some(number)),
        _ => Err(PyValueError::new_err(format!("{name} gave {}: expected {expected}", shown_value(&given)))),
    }
}

impl Compressor for Built {
    fn name(&self) -> String {
        self.setting.name.clone()
    }

    fn encode(&self, x: &[f64], draw: Draw<'_>, out: &mut Encoded) -> Result<(), CodecError> {
        check_dimension(x.len())?;
        check_finite(x)?;
        out.restart(x.len());
        let seed = draw.key().map_or(0, |key| key.bits(0));
        let coded = self.call("encode", |object| self.coded(object, x, seed))?;
        out.values.extend(coded.decoded);
        // The string, a byte in each.
        out.indices.extend(coded.bytes.iter().flatten().map(|&byte| u32::from(byte)));
        out.bits = coded.bits;
        Ok(())
    }

    fn decode(&self, message: &Encoded, out: &mut [f64]) {
        out.copy_from_slice(&message.values);
    }

    fn write_bits(&self, message: &Encoded, writer: &mut BitWriter) {
        let mut left = message.bits();
        for &byte in &message.indices {
            let width = left.min(8) as u32;
            writer.write(u64::from(byte) >> (8 - width), width);
            left -= u64::from(width);
        }
    }

    fn read(&self, reader: &mut BitReader<'_>, _: Option<CounterKey>, out: &mut Encoded) -> Result<(), CodecError> {
        while reader.remaining() > 0 {
            let width = reader.remaining().min(8) as u32;
            out.indices.push((reader.read(width)? << (8 - width)) as u32);
        }
        let (bytes, d) = (out.indices.iter().map(|&byte| byte as u8).collect::<Vec<u8>>(), out.dimension());
        out.values = self.call("decode", |object| {
            let given = object.call_method1("decode", (PyBytes::new(object.py(), &bytes), d))?;
            vector(&given, &full_name(object, "decode"), Some((d, ", d numbers")))
        })?;
        Ok(())
    }

    fn has_string(&self) -> bool {
        self.setting.has_bytes
    }

    fn ends_itself(&self) -> bool {
        false
    }

    fn is_unbiased(&self) -> bool {
        let unbiased = |object: &Bound<'_, PyAny>| {
            let Some(flag) = object.getattr_opt("unbiased")? else { return Ok(false) };
            flag.extract().map_err(|_| {
                let (name, found) = (full_name(object, "unbiased"), shown_value(&flag));
                PyTypeError::new_err(format!("{name} is {found}: expected True or False"))
            })
        };
        self.call("unbiased", unbiased).unwrap_or(false)
    }

    fn omega(&self, dimension: usize) -> Option<f64> {
        let at_least_0 = |omega: f64| omega.is_finite() && omega >= 0.0;
        let omega = |object: &Bound<'_, PyAny>| {
            stated(object, "omega", dimension, (&at_least_0, "a finite number of at least 0, or None"))
        };
        self.call("omega", omega).ok().flatten()
    }

    fn contraction(&self, dimension: usize) -> Option<f64> {
        let in_range = |delta: f64| 0.0 < delta && delta <= 1.0;
        let contraction = |object: &Bound<'_, PyAny>| {
            stated(object, "contraction", dimension, (&in_range, "a number above 0, at most 1, or None"))
        };
        let of_omega = || self.omega(dimension).filter(|&omega| omega < 1.0).map(|omega| 1.0 - omega);
        self.call("contraction", contraction).ok().flatten().or_else(of_omega)
    }

    fn variance_at(&self, _: &[f64]) -> Option<f64> {
        None
    }

    fn uniforms(&self, _: usize) -> usize {
        0
    }

    fn expected_bits(&self, _: usize) -> Option<ExpectedBits> {
        None
    }
}
