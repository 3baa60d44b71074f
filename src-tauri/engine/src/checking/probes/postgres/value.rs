//! What goes to PostgreSQL and what comes back.

use super::super::number;
use bytes::{BufMut as _, BytesMut};
use std::error::Error;
use tokio_postgres::types::{Format, FromSql, IsNull, ToSql, Type, to_sql_checked};

/// A job id as text, whatever the type it is compared with: the server reads it as it would read a literal.
#[derive(Debug)]
pub(super) struct Id<'a>(pub(super) &'a str);

impl ToSql for Id<'_> {
    fn to_sql(
        &self,
        _type: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        out.put_slice(self.0.as_bytes());
        Ok(IsNull::No)
    }

    fn accepts(_type: &Type) -> bool {
        true
    }

    fn encode_format(&self, _type: &Type) -> Format {
        Format::Text
    }

    to_sql_checked!();
}

/// A number of effects, or what came in its place.
#[derive(Debug, PartialEq, Eq)]
pub(super) struct Count(pub(super) Result<u32, String>);

impl<'a> FromSql<'a> for Count {
    fn from_sql(kind: &Type, raw: &'a [u8]) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(match *kind {
            Type::INT2 => number::integer(i16::from_sql(kind, raw)?.into()),
            Type::INT4 => number::integer(i32::from_sql(kind, raw)?.into()),
            Type::INT8 => number::integer(i64::from_sql(kind, raw)?),
            Type::OID => Ok(u32::from_sql(kind, raw)?),
            Type::FLOAT4 => number::real(f32::from_sql(kind, raw)?.into()),
            Type::FLOAT8 => number::real(f64::from_sql(kind, raw)?),
            Type::NUMERIC => numeric(raw).ok_or("a numeric that cannot be read")?,
            Type::BOOL => Err("true or false".to_owned()),
            Type::TEXT | Type::VARCHAR | Type::BPCHAR | Type::NAME | Type::UNKNOWN => {
                number::text(<&str>::from_sql(kind, raw)?)
            }
            _ => Err(format!("a value of the type {kind}")),
        }))
    }

    fn from_sql_null(_type: &Type) -> Result<Self, Box<dyn Error + Sync + Send>> {
        Ok(Self(Ok(0)))
    }

    fn accepts(_type: &Type) -> bool {
        true
    }
}

/// PostgreSQL's decimal number, which is what `sum` of a bigint gives: how many groups of four digits, the power of
/// 10,000 of the first, the sign, how many digits behind the point are shown, the groups. `None` where that is not what
/// stands there.
fn numeric(raw: &[u8]) -> Option<Result<u32, String>> {
    let mut words = raw.chunks_exact(2).map(|pair| u16::from_be_bytes([pair[0], pair[1]]));
    let groups = words.next()?;
    let weight = i32::from(words.next()?.cast_signed());
    let sign = words.next()?;
    let _shown = words.next()?;
    match sign {
        0 => {}
        0x4000 => return Some(Err("a negative number".to_owned())),
        _ => return Some(Err("a number that is none or has no end".to_owned())),
    }
    let mut whole: u64 = 0;
    for place in 0..i32::from(groups).max(weight + 1) {
        let group = if place < i32::from(groups) { words.next()? } else { 0 };
        if place <= weight {
            whole = whole.saturating_mul(10_000).saturating_add(group.into());
        } else if group != 0 {
            return Some(Err("a number with a fraction".to_owned()));
        }
    }
    Some(Ok(number::clamped(whole)))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(words: &[u16]) -> Option<Result<u32, String>> {
        let raw: Vec<u8> = words.iter().flat_map(|word| word.to_be_bytes()).collect();
        numeric(&raw)
    }

    #[test]
    fn a_numeric_is_read_as_postgresql_writes_it() {
        assert_eq!(read(&[0, 0, 0, 0]), Some(Ok(0)));
        assert_eq!(read(&[1, 0, 0, 0, 7]), Some(Ok(7)));
        // 12,340,000 has no last group; 2.00 no group behind the point.
        assert_eq!(read(&[1, 1, 0, 0, 1234]), Some(Ok(12_340_000)));
        assert_eq!(read(&[1, 0, 0, 2, 2]), Some(Ok(2)));
        assert_eq!(read(&[1, 300, 0, 0, 1]), Some(Ok(u32::MAX)));
    }

    #[test]
    fn a_numeric_that_counts_nothing_is_described() {
        for words in [[1, 0, 0x4000, 0, 1], [1, 0, 0xC000, 0, 1], [1, 0xFFFF, 0, 1, 5000]] {
            assert!(matches!(read(&words), Some(Err(_))), "{words:?}");
        }
        assert_eq!(read(&[2, 0, 0, 0, 1]), None, "a group is missing");
        assert_eq!(read(&[2, 0, 0]), None);
    }
}
