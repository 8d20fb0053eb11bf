//! A checker for the part of JSON Schema that the report schemas use. It refuses other keywords, so that no part of a
//! schema is silently ignored.

use serde_json::Value;

/// The violations of `schema` in `value`. Stricter than the standard in one respect: an object must not have properties
/// that its schema does not name.
pub fn violations(schema: &Value, value: &Value) -> Vec<String> {
    let mut found = Vec::new();
    let check = Check { root: schema };
    check.value(schema, value, "", &mut found);
    found
}

struct Check<'a> {
    root: &'a Value,
}

impl Check<'_> {
    fn value(&self, schema: &Value, value: &Value, path: &str, found: &mut Vec<String>) {
        for (keyword, rule) in schema.as_object().expect("a schema is an object") {
            let holds = match keyword.as_str() {
                "$schema" | "$id" | "$defs" | "title" | "description" => true,
                "$ref" => {
                    let pointer = rule.as_str().and_then(|rule| rule.strip_prefix('#')).unwrap();
                    let target = self.root.pointer(pointer).expect("the target of a $ref exists");
                    self.value(target, value, path, found);
                    true
                }
                "type" => one_or_many(rule).iter().any(|name| is_type(value, name)),
                "const" => value == rule,
                "enum" => rule.as_array().unwrap().contains(value),
                "minimum" => value.as_f64().is_none_or(|n| n >= rule.as_f64().unwrap()),
                "minItems" => {
                    value.as_array().is_none_or(|a| a.len() as u64 >= rule.as_u64().unwrap())
                }
                "maxItems" => {
                    value.as_array().is_none_or(|a| a.len() as u64 <= rule.as_u64().unwrap())
                }
                "anyOf" => rule.as_array().unwrap().iter().any(|schema| {
                    let mut inner = Vec::new();
                    self.value(schema, value, path, &mut inner);
                    inner.is_empty()
                }),
                "required" => {
                    let names = rule.as_array().unwrap();
                    value.as_object().is_none_or(|object| {
                        names.iter().all(|name| object.contains_key(name.as_str().unwrap()))
                    })
                }
                "items" => {
                    for (i, item) in value.as_array().into_iter().flatten().enumerate() {
                        self.value(rule, item, &format!("{path}/{i}"), found);
                    }
                    true
                }
                "properties" => {
                    for (name, item) in value.as_object().into_iter().flatten() {
                        let path = format!("{path}/{name}");
                        match rule.get(name) {
                            Some(schema) => self.value(schema, item, &path, found),
                            None => found.push(format!("{path} is not in the schema")),
                        }
                    }
                    true
                }
                other => panic!("{other} is a keyword unknown to this checker"),
            };
            if !holds {
                found.push(format!("{path}: {value} breaks {keyword}: {rule}"));
            }
        }
    }
}

fn one_or_many(rule: &Value) -> Vec<&str> {
    match rule {
        Value::String(name) => vec![name],
        names => names.as_array().unwrap().iter().map(|name| name.as_str().unwrap()).collect(),
    }
}

fn is_type(value: &Value, name: &str) -> bool {
    match name {
        "null" => value.is_null(),
        "boolean" => value.is_boolean(),
        "integer" => value.is_i64() || value.is_u64(),
        "number" => value.is_number(),
        "string" => value.is_string(),
        "array" => value.is_array(),
        "object" => value.is_object(),
        other => panic!("{other} is not a type"),
    }
}
