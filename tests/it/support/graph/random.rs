//! Random models like real ones: layers in scopes, each after an earlier one. Zeros as random numbers give the smallest model.

use ckdiff::schema::tensorflow::DataType;
use ckdiff::schema::tensorflow::attr_value::Value;

use crate::support::Random;
use crate::support::graph::plan::{
    Function, Id, Loop, Piece, Plan, Saver, Variable, float, floats, shape,
};

/// A model of 2 to `most` + 1 layers, and their scopes, which end with a slash.
pub(crate) fn model(most: u64, random: &mut Random) -> (Plan, Vec<String>) {
    let layers = 2 + random.below(most);
    model_of(layers, random)
}

/// A model with this many layers.
pub(crate) fn model_of(layers: u64, random: &mut Random) -> (Plan, Vec<String>) {
    let mut author = Author { plan: Plan::default(), random, outputs: Vec::new() };
    let dtype = [("dtype", float()), ("shape", Value::Shape(shape(&[-1])))].into();
    let input = Piece { name: "input".into(), op: "Placeholder", attrs: dtype, ..Piece::default() };
    let input = author.plan.add(input);
    author.outputs.push(input);
    let mut scopes = Vec::new();
    for layer in 0..layers {
        let scope = author.scope(layer);
        let from = author.earlier();
        let output = author.layer(&scope, from);
        author.outputs.push(output);
        scopes.push(scope);
    }
    let Author { mut plan, outputs, .. } = author;
    let last = outputs[outputs.len() - 1];
    if random.below(2) == 1 {
        plan.signatures.insert("serving_default".into(), (input, last));
    }
    if random.below(2) == 1 && !plan.variables.is_empty() {
        plan.saver = Some(Saver { max_to_keep: 5 });
    }
    plan.has_op_list = random.below(2) == 1;
    (plan, scopes)
}

struct Author<'r> {
    plan: Plan,
    random: &'r mut Random,
    /// The outputs of the layers.
    outputs: Vec<Id>,
}

impl Author<'_> {
    fn scope(&mut self, layer: u64) -> String {
        match self.random.below(3) {
            0 => format!("layer_{layer}/"),
            1 => format!("block{layer}/cell/"),
            _ => format!("model/tower_{}/part_{layer}/", layer % 3),
        }
    }

    /// The output of an earlier layer, usually the last one.
    fn earlier(&mut self) -> Id {
        let back = self.random.below(4).saturating_sub(2) as usize;
        self.outputs[self.outputs.len().saturating_sub(1 + back)]
    }

    fn layer(&mut self, scope: &str, from: Id) -> Id {
        match self.random.below(9) {
            0 => self.chain(scope, from),
            1 => self.arithmetic(scope, from),
            2 => self.dense(scope, from),
            3 => self.resource(scope, from),
            4 => self.split(scope, from),
            5 => self.sum(scope, from),
            6 => self.while_loop(scope, from),
            7 => self.call(scope, from),
            _ => self.parts(scope, from),
        }
    }

    /// One to five operations with one input each.
    fn chain(&mut self, scope: &str, mut from: Id) -> Id {
        const OPS: [&str; 5] = ["Identity", "Relu", "Tanh", "LeakyRelu", "Softplus"];
        for at in 0..1 + self.random.below(5) {
            let op = OPS[self.random.below(5) as usize];
            let name = if at == 0 { format!("{scope}{op}") } else { format!("{scope}{op}_{at}") };
            from = self.plan.op(name, op, &[from]);
            if op == "LeakyRelu" {
                self.plan.node_mut(from).attrs.insert("alpha", Value::F(0.2));
            }
        }
        if self.random.below(4) == 3 {
            self.plan.node_mut(from).device = "/job:worker/task:0/device:CPU:0".into();
        }
        from
    }

    fn arithmetic(&mut self, scope: &str, from: Id) -> Id {
        let count = 1 + self.random.below(5);
        let numbers: Vec<f32> = (0..count).map(|_| self.random.below(9) as f32 / 8.0).collect();
        let spelling = self.random.next();
        let y = self.plan.constant(format!("{scope}y"), floats(&numbers, spelling));
        let op = ["Sub", "AddV2", "Mul", "RealDiv"][self.random.below(4) as usize];
        let out = self.plan.op(format!("{scope}{op}"), op, &[from, y]);
        if self.random.below(2) == 1 {
            let check = self.plan.op(format!("{scope}check"), "NoOp", &[]);
            self.plan.node_mut(check).controls.push(from);
            self.plan.node_mut(out).controls.push(check);
        }
        out
    }

    /// Adds a variable with its nodes; returns the node that reads it.
    fn variable(&mut self, name: &str, half: Option<usize>) -> Id {
        let is_resource = self.random.below(3) == 2;
        self.variable_of(name, half, is_resource)
    }

    fn variable_of(&mut self, name: &str, half: Option<usize>, is_resource: bool) -> Id {
        let spelling = self.random.next();
        let value = self.random.below(9) as f32;
        let zeros = format!("{name}/Initializer/zeros");
        let initial = self.plan.constant(zeros, floats(&[value, 0.5], spelling));
        let attrs = [("dtype", float()), ("shape", Value::Shape(shape(&[2])))];
        let op = if is_resource { "VarHandleOp" } else { "VariableV2" };
        let piece = Piece { name: name.into(), op, attrs: attrs.into(), ..Piece::default() };
        let node = self.plan.add(piece);
        self.plan.node_mut(initial).beside = Some(node);
        let (assign, read) = if is_resource {
            let assign =
                self.plan.op(format!("{name}/Assign"), "AssignVariableOp", &[node, initial]);
            let read =
                self.plan.op(format!("{name}/Read/ReadVariableOp"), "ReadVariableOp", &[node]);
            for id in [assign, read] {
                self.plan.node_mut(id).attrs = [("dtype", float())].into();
            }
            (assign, read)
        } else {
            let assign = self.plan.op(format!("{name}/Assign"), "Assign", &[node, initial]);
            let read = self.plan.op(format!("{name}/read"), "Identity", &[node]);
            for id in [assign, read] {
                self.plan.node_mut(id).beside = Some(node);
            }
            (assign, read)
        };
        let is_trainable = self.random.below(4) != 3;
        let variable = Variable { node, initial, assign, read, is_resource, is_trainable, half };
        self.plan.variables.push(variable);
        read
    }

    fn dense(&mut self, scope: &str, from: Id) -> Id {
        let kernel = self.variable(&format!("{scope}kernel"), None);
        let bias = self.variable(&format!("{scope}bias"), None);
        let product = self.plan.op(format!("{scope}MatMul"), "MatMul", &[from, kernel]);
        let sides = [("transpose_a", Value::B(false)), ("transpose_b", Value::B(false))];
        self.plan.node_mut(product).attrs.extend(sides);
        let sum = self.plan.op(format!("{scope}BiasAdd"), "BiasAdd", &[product, bias]);
        self.plan.op(format!("{scope}Relu"), "Relu", &[sum])
    }

    fn resource(&mut self, scope: &str, from: Id) -> Id {
        let scale = self.variable_of(&format!("{scope}scale"), None, true);
        let out = self.plan.op(format!("{scope}mul"), "Mul", &[from, scale]);
        if self.random.below(2) == 1 {
            self.plan.update_ops.push(out);
        }
        out
    }

    /// Adds a variable in two partitions.
    fn parts(&mut self, scope: &str, from: Id) -> Id {
        let parts = [0, 1].map(|half| {
            let name = format!("{scope}embedding/part_{half}");
            self.variable_of(&name, Some(half), false)
        });
        let both = self.plan.op(format!("{scope}embedding"), "AddN", &parts);
        self.plan.node_mut(both).attrs.insert("N", Value::I(2));
        self.plan.op(format!("{scope}Sub"), "Sub", &[from, both])
    }

    fn split(&mut self, scope: &str, from: Id) -> Id {
        let axis = self.integer(format!("{scope}axis"), 0);
        let split = self.plan.op(format!("{scope}split"), "Split", &[axis, from]);
        let count = 2 + self.random.below(3) as usize;
        self.plan.node_mut(split).attrs.insert("num_split", Value::I(count as i64));
        let out = self.plan.op(format!("{scope}AddN"), "AddN", &[]);
        let mut inputs: Vec<_> = (0..count).map(|port| (split, port)).collect();
        let by = self.random.below(count as u64) as usize;
        inputs.rotate_left(by);
        let piece = self.plan.node_mut(out);
        piece.attrs.insert("N", Value::I(count as i64));
        piece.inputs = inputs;
        out
    }

    fn integer(&mut self, name: String, value: i32) -> Id {
        let mut tensor = floats(&[], 1);
        tensor.dtype = DataType::DtInt32 as i32;
        tensor.tensor_shape = Some(shape(&[]));
        tensor.int_val.push(value);
        self.plan.constant(name, tensor)
    }

    fn sum(&mut self, scope: &str, from: Id) -> Id {
        let other = self.earlier();
        let other = self.plan.op(format!("{scope}Neg"), "Neg", &[other]);
        let out = self.plan.op(format!("{scope}AddN"), "AddN", &[from, other]);
        self.plan.node_mut(out).attrs.insert("N", Value::I(2));
        out
    }

    fn while_loop(&mut self, scope: &str, from: Id) -> Id {
        let name = |end: &str| format!("{scope}while/{end}");
        let number = self.plan.loops.len();
        let limit = self.plan.constant(format!("{scope}limit"), floats(&[3.0], 1));
        let enters =
            [("Enter", from, false), ("Less/Enter", limit, true)].map(|(end, from, fixed)| {
                let enter = self.plan.op(name(end), "Enter", &[from]);
                let piece = self.plan.node_mut(enter);
                let attrs =
                    [("is_constant", Value::B(fixed)), ("parallel_iterations", Value::I(10))];
                piece.attrs.extend(attrs);
                piece.enters = Some(number);
                enter
            });
        let merge = self.plan.op(name("Merge"), "Merge", &[enters[0]]);
        self.plan.node_mut(merge).attrs.insert("N", Value::I(2));
        let less = self.plan.op(name("Less"), "Less", &[merge, enters[1]]);
        let pivot = self.plan.op(name("LoopCond"), "LoopCond", &[less]);
        self.plan.node_mut(pivot).attrs.clear();
        let switch = self.plan.op(name("Switch"), "Switch", &[merge, pivot]);
        let body = self.plan.op(name("Identity"), "Identity", &[]);
        self.plan.node_mut(body).inputs = vec![(switch, 1)];
        let one = self.plan.constant(name("add/y"), floats(&[1.0], 1));
        self.plan.node_mut(one).controls.push(body);
        let add = self.plan.op(name("add"), "AddV2", &[body, one]);
        let next = self.plan.op(name("NextIteration"), "NextIteration", &[add]);
        self.plan.node_mut(merge).inputs.push((next, 0));
        let exit = self.plan.op(name("Exit"), "Exit", &[switch]);
        let (enters, exits) = (enters.to_vec(), vec![exit]);
        let scope = format!("{scope}while/");
        self.plan.loops.push(Loop { scope, pivot, pivot_for_body: body, enters, exits });
        exit
    }

    fn call(&mut self, scope: &str, from: Id) -> Id {
        let number = self.plan.functions.len();
        let counter = 10 + 7 * number as u64 + self.random.below(3);
        let constant = self.random.below(9) as f32;
        let name = format!("fn_{}", number % 2);
        self.plan.functions.push(Function { name, counter, constant });
        let call = self.plan.op(format!("{scope}PartitionedCall"), "PartitionedCall", &[from]);
        let types = || {
            let r#type = vec![DataType::DtFloat as i32];
            let list =
                ckdiff::schema::tensorflow::attr_value::ListValue { r#type, ..Default::default() };
            Value::List(list.into())
        };
        let piece = self.plan.node_mut(call);
        piece.attrs = [("Tin", types()), ("Tout", types())].into();
        piece.calls = Some(number);
        self.plan.op(format!("{scope}Identity"), "Identity", &[call])
    }
}
