'use strict';
(() => {
  const $ = (id) => document.getElementById(id);
  const table = $('table');
  if (!table) return;
  const BLOCK = 100;
  const NS = 'http://www.w3.org/2000/svg';

  // Elements.
  const fill = (element, attributes, children) => {
    for (const [name, value] of Object.entries(attributes || {})) element.setAttribute(name, value);
    element.append(...children.flat(Infinity).filter((child) => child !== null && child !== undefined));
    return element;
  };
  const el = (tag, attributes, ...children) => fill(document.createElement(tag), attributes, children);
  const svg = (tag, attributes, ...children) => fill(document.createElementNS(NS, tag), attributes, children);

  // Rows. All are read at the first use, since that takes time where there are many.
  const blocks = [...table.querySelectorAll('.block')];
  const bodies = blocks.map((block) => block.querySelector('tbody'));
  let known = null;
  const rows = () => known ||= bodies.flatMap((body) => [...body.rows]).map((tr, at) => {
    const [name, status, role] = [0, 1, 2].map((cell) => tr.cells[cell].textContent);
    return { tr, at, name, low: name.toLowerCase(), status: status.split(' '), role };
  });
  let shown = null;
  const list = () => shown ||= rows();

  // Numbers.
  const number = (text) => {
    if (text === 'from 0') return Infinity;
    const value = parseFloat(text.replace(/,/g, ''));
    return Number.isNaN(value) ? -1 : value;
  };
  const count = (n) => n.toLocaleString('en-US');
  const short = (value) => {
    if (value === 0) return '0';
    const size = Math.abs(value);
    const text = size >= 1e-3 && size < 1e5 ? String(Number(value.toPrecision(3))) : value.toExponential(2);
    return text.replace(/\.?0+e/, 'e').replace('e+', 'e');
  };
  const percent = (share) => share > 0.999 && share < 1 ? '99.9%' : short(100 * share) + '%';

  // Filters and order.
  const fields = { q: $('q'), status: $('status'), role: $('role'), scope: $('scope') };
  let order = { column: -1, up: false };
  const inScope = (name, scope) => name.startsWith(scope) && '/.'.includes(name[scope.length] || '/');
  const select = () => {
    const words = fields.q.value.toLowerCase().split(/\s+/).filter(Boolean);
    const [status, role, scope] = [fields.status.value, fields.role.value, fields.scope.value];
    return rows().filter((row) =>
      words.every((word) => row.low.includes(word)) && (!role || row.role === role) &&
      (!status || (status === '!' ? row.tr.classList.contains('broken') : row.status.includes(status))) &&
      (!scope || inScope(row.name, scope)));
  };
  const sort = (found) => {
    const { column, up } = order;
    if (column < 0) return found;
    const text = (row) => row.tr.cells[column].textContent;
    const isNumber = column > 3;
    const collator = new Intl.Collator('en', { numeric: true });
    const keyed = found.map((row) => [isNumber ? number(text(row)) : text(row), row]);
    const compare = isNumber ? (a, b) => a - b : (a, b) => collator.compare(a, b);
    keyed.sort(([a, x], [b, y]) => (up ? 1 : -1) * compare(a, b) || x.at - y.at);
    return keyed.map(([, row]) => row);
  };
  const empty = el('p', { class: 'empty', hidden: '' }, 'No tensor is like that.');
  table.append(empty);
  const said = el('p', { class: 'said', role: 'status', hidden: '' });
  table.before(said);
  const say = (text) => { said.textContent = text; said.hidden = !text; };
  const show = () => {
    close();
    say('');
    shown = sort(select());
    blocks.forEach((block, at) => {
      const part = shown.slice(at * BLOCK, (at + 1) * BLOCK);
      bodies[at].replaceChildren(...part.map((row) => row.tr));
      block.hidden = part.length === 0;
    });
    empty.hidden = shown.length > 0;
    const all = rows().length;
    $('shown').textContent = shown.length === all ? count(all) : `${count(shown.length)} of ${count(all)}`;
    mark(null);
  };

  // Data of a tensor: a block of it is parsed when one of its tensors is opened.
  const read = (id) => { const block = $(id); return block ? JSON.parse(block.textContent) : null; };
  const parsed = new Map();
  const dataOf = (row) => {
    const at = Math.floor(row.at / BLOCK);
    if (!parsed.has(at)) parsed.set(at, read('d' + at));
    return (parsed.get(at) || [])[row.at % BLOCK] || {};
  };

  // Pictures. Each has a table of the same numbers below it.
  const grid = (titles, cells) => el('table', {},
    el('thead', {}, el('tr', {}, titles.map((title) => el('th', { scope: 'col' }, title)))),
    el('tbody', {}, cells.map((row) => el('tr', {}, row.map((cell) => el('td', {}, String(cell)))))));
  const figure = (title, lead, picture, titles, cells) => el('figure', {},
    el('figcaption', {}, title, ' ', el('span', {}, lead)), picture,
    el('details', {}, el('summary', {}, 'Table'), el('div', { class: 'rest' }, grid(titles, cells))));
  const W = 400, H = 120;
  const picture = (label, height, ...children) => svg('svg', { viewBox: `-2 -4 ${W + 4} ${height + 22}`, role: 'img', 'aria-label': label + '; the table below has the numbers' }, children);
  const tick = (x, y, anchor, text) => svg('text', { class: 'tick ' + anchor, x, y }, text);
  const power = (p) => `2^${p}`;

  const differences = ({ p: [first, step], c, n }) => {
    const left = n ? `${count(n)} ${n === 1 ? 'element has' : 'elements have'} no finite difference (NaN or infinity)` : '';
    if (!c.length) return el('figure', {}, el('figcaption', {}, '|rhs − lhs|'), el('p', { class: 'note' }, `No histogram: ${left}.`));
    const most = Math.max(...c), width = W / c.length;
    const low = (at) => power(first + at * step);
    const bars = c.map((n, at) => n === 0 ? null : svg('rect', { class: 'bar', x: at * width + 0.5, width: Math.max(width - 1, 1), y: H - Math.max(n / most * H, 1), height: Math.max(n / most * H, 1) },
      svg('title', {}, `${low(at)} up to ${low(at + 1)}: ${count(n)}`)));
    return figure('|rhs − lhs|', `by power of two; the highest bar is ${count(most)}${left && `; ${left}`}`,
      picture('Histogram of differences', H, bars, svg('path', { class: 'axis', d: `M0 ${H}H${W}` }),
        tick(0, H + 14, '', low(0)), tick(W, H + 14, 'end', low(c.length))),
      ['from', 'below', 'elements'], [...c.map((n, at) => [low(at), low(at + 1), count(n)]), ...(n ? [['NaN or infinity', '', count(n)]] : [])]);
  };

  const values = (found) => {
    if (typeof found === 'number') return el('figure', {}, el('figcaption', {}, 'Values'), el('p', { class: 'note' }, 'No histogram: the values are in fewer than 8 bins.'));
    const { b, c } = found;
    const bins = c[0].length, isLinear = b.length === 2;
    const [low, high] = [Number(b[0]), Number(b[b.length - 1])];
    const border = (at) => isLinear ? short(low + (high - low) * at / bins) : b[at];
    const total = c.map((side) => side.reduce((sum, n) => sum + n, 0) || 1);
    const shares = c.map((side, of) => side.map((n) => n / total[of]));
    const most = Math.max(...shares.flat()) || 1;
    const outline = (side) => side.map((share, at) => {
      const y = (H - share / most * H).toFixed(1);
      return `${at ? 'V' : `M0 ${H}V`}${y}H${((at + 1) * W / bins).toFixed(1)}`;
    }).join('') + `V${H}`;
    return figure('Values', isLinear ? 'share of elements' : 'share of elements; borders are powers of two',
      el('div', {}, el('p', { class: 'note' }, el('span', { class: 'key lhs' }), 'lhs', el('span', { class: 'key rhs' }), 'rhs'),
        picture('Histograms of the values of both sides', H, svg('path', { class: 'lhs', d: outline(shares[0]) }), svg('path', { class: 'rhs', d: outline(shares[1]) }),
          tick(0, H + 14, '', border(0)), tick(W, H + 14, 'end', border(bins)),
          low < 0 && high > 0 && isLinear ? tick(-low / (high - low) * W, H + 14, 'mid', '0') : null)),
      ['from', 'below', 'lhs', 'rhs'], c[0].map((n, at) => [border(at), border(at + 1), count(n), count(c[1][at])]));
  };

  const LEVELS = '0123456789ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz';
  const strips = (what, { s, n, e, m, x, l }) => {
    const start = (at) => Math.floor(at * s / n);
    const place = (at) => start(at + 1) - start(at) === 1 ? count(start(at)) : `${count(start(at))} to ${count(start(at + 1) - 1)}`;
    const size = (at) => (start(at + 1) - start(at)) * e;
    const mismatched = (at) => m ? m[at] : size(at);
    const share = (at) => mismatched(at) / size(at);
    const letter = (at) => x ? LEVELS.indexOf(x[at]) : -1;
    const isNaNAlone = (at) => Boolean(x) && x[at] === '!';
    const alone = [...(x || '')].filter((c) => c === '!').length;
    const largest = (at) => letter(at) < 0 ? null : l[0] * (l[1] / l[0]) ** (letter(at) / (LEVELS.length - 1));
    const stepOfShare = (at) => 'h' + Math.ceil(share(at) * 9);
    const stepOfLargest = (at) => isNaNAlone(at) ? 'nan' : 'h' + (letter(at) < 0 ? 0 : 1 + Math.round(letter(at) / (LEVELS.length - 1) * 8));
    const cell = (step, from, width) => [svg('rect', { class: 'cell ' + step, x: from, y: 0, width, height: 24 }),
      step === 'nan' ? svg('path', { class: 'cross', d: `M${from} 0L${from + width} 24M${from + width} 0L${from} 24` }) : null];
    const strip = (label, step, text) => picture(label, 24,
      [...Array(n).keys()].map((at) => svg('g', {}, svg('title', {}, `${place(at)}: ${text(at)}`), cell(step(at), at * W / n, W / n))),
      svg('rect', { class: 'frame', x: 0, y: 0, width: W, height: 24 }), tick(0, 38, '', '0'), tick(W, 38, 'end', count(s - 1)));
    const about = (at) => isNaNAlone(at) ? 'NaN or infinity' : largest(at) === null ? '–' : short(Number(largest(at).toPrecision(2)));
    const titleOf = (at) => largest(at) === null ? about(at) : '≈ ' + about(at);
    const all = m ? null : el('p', { class: 'note' }, 'Every element mismatches.');
    const shares = m ? [el('p', { class: 'note' }, `Share of mismatches, up to ${percent(Math.max(...m.map((_, at) => share(at))))}`), strip('Share of mismatches ' + what, stepOfShare, (at) => percent(share(at)))] : [];
    const key = alone ? [l ? '; ' : ' ', el('span', { class: 'sw nan' }), 'NaN or infinity: no finite difference'] : [];
    const sizes = x ? [el('p', { class: 'note' }, 'Largest |rhs − lhs|', l ? `, from ${short(l[0])} to ${short(l[1])}` : '', key), strip('Largest difference ' + what, stepOfLargest, titleOf)] : [];
    return figure('Where mismatches lie', what, el('div', {}, all, shares, sizes),
      ['range', 'elements', 'mismatched', 'share', '≈ largest'], [...Array(n).keys()].map((at) => [place(at), count(size(at)), count(mismatched(at)), percent(share(at)), about(at)]));
  };

  // Where the ranges of the first axis are those of the positions, what they have is not written again.
  const alike = ({ r, a }) => r && !a.l && !a.m && !a.x ? { m: r.m, x: r.x, l: r.l } : {};

  const unravel = (position, dims) => {
    const index = [];
    for (let axis = dims.length - 1; axis >= 0; axis--) {
      index.unshift(position % dims[axis]);
      position = Math.floor(position / dims[axis]);
    }
    return `[${index.join(', ')}]`;
  };
  const worst = (found, dims) => el('figure', {}, el('figcaption', {}, 'Worst elements'),
    grid(['index', 'lhs', 'rhs'], found.map(([position, lhs, rhs]) => [unravel(position, dims), lhs, rhs])));

  const labels = read('labels');
  const panel = (row) => {
    const data = dataOf(row);
    const lines = [['Key in the file:', data.k], ['Name in lhs:', data.f], ['Tolerance:', data.t], ['Error:', data.e]];
    const statistics = (data.n || []).map((value, at) => [labels[at], value]).filter(([, value]) => value);
    const pictures = [data.h && differences(data.h), data.v && values(data.v), data.r && strips('by row-major position', data.r), data.a && strips('by index of the first axis', { ...alike(data), ...data.a }), data.w && worst(data.w, data.d)].filter(Boolean);
    const link = el('p', { class: 'note' }, el('a', { href: '#tensor=' + encoded(row.name) }, 'Link to this tensor'));
    const said = row.status[0] === 'identical' ? 'All bits are equal.' : data.n ? null : 'No values were compared.';
    const missing = data.n && !data.h && !data.v && !data.r && number(row.tr.cells[4].textContent) > 1 ? 'Histograms and places were not computed for this report.' : null;
    return el('tr', {}, el('td', { class: 'open', colspan: String([...row.tr.cells].filter((cell) => getComputedStyle(cell).display !== 'none').length) },
      el('h3', { class: 'vh' }, row.name),
      lines.filter(([, text]) => text).map(([what, text]) => el('div', {}, el('span', { class: 'faint' }, what + ' '), text)),
      [said, missing].filter(Boolean).map((text) => el('p', { class: 'note' }, text)),
      statistics.length ? el('dl', {}, statistics.map(([label, value]) => el('div', {}, el('dt', {}, label), el('dd', {}, value)))) : null,
      pictures.length ? el('div', { class: 'pictures' }, pictures) : null, link));
  };

  // Opening, and the current row.
  let opened = null, current = null;
  const mark = (row) => {
    if (current) current.tr.classList.remove('at');
    current = row;
    if (row) row.tr.classList.add('at');
  };
  const close = () => {
    if (!opened) return;
    opened.detail.remove();
    opened.row.tr.querySelector('a').setAttribute('aria-expanded', 'false');
    opened = null;
  };
  const open = (row) => {
    close();
    const detail = panel(row);
    row.tr.after(detail);
    row.tr.querySelector('a').setAttribute('aria-expanded', 'true');
    opened = { row, detail };
    mark(row);
  };
  for (const width of ['44rem', '60rem']) matchMedia(`(max-width:${width})`).addEventListener('change', close);
  const toTable = () => $('tensors').scrollIntoView({ block: 'start', behavior: 'instant' });
  const toSee = (row) => row.tr.scrollIntoView({ block: 'start', behavior: 'instant' });

  // Links: #tensor=NAME, #scope=NAME, #q=WORDS, and the id of a row.
  const encoded = (text) => encodeURIComponent(text).replace(/%2F/g, '/');
  const decoded = (text) => { try { return decodeURIComponent(text); } catch { return text; } };
  const setHash = (hash) => history.replaceState(null, '', hash || '#tensors');
  const follow = () => {
    const hash = location.hash.slice(1);
    const [key, value] = [hash.split('=', 1)[0], decoded(hash.slice(hash.indexOf('=') + 1))];
    const isRow = /^t[0-9a-f]{12}$/.test(hash);
    let found = null;
    say('');
    if (key === 'tensor') found = rows().find((row) => row.name === value) || rows().find((row) => dataOf(row).k === value);
    else if (isRow) found = rows().find((row) => row.tr.id === hash);
    else if ((key === 'scope' || key === 'q') && hash.includes('=')) {
      reset();
      fields[key].value = value;
      show();
      if (!shown.length) say(key === 'scope' ? `No tensor of this page is in the scope ${value}.` : `No name contains ${value}.`);
      toTable();
    }
    if (!found) {
      if (key === 'tensor' && hash.includes('=')) { say(`There is no tensor ${value} in this page.`); toTable(); }
      else if (isRow) { say('The tensor of this link is not in this page.'); toTable(); }
      return;
    }
    if (!list().includes(found)) { reset(); show(); }
    open(found);
    toSee(found);
  };
  const reset = () => Object.values(fields).forEach((field) => { field.value = ''; });

  const rowOf = (node) => {
    const tr = node.closest('tr[id]');
    return tr && table.contains(tr) ? rows().find((row) => row.tr === tr) : null;
  };
  const toggle = (row) => {
    if (opened && opened.row === row) { close(); setHash(''); return; }
    open(row);
    setHash('#tensor=' + encoded(row.name));
  };
  table.addEventListener('click', (event) => {
    if (event.target.closest('.open') || event.ctrlKey || event.metaKey || event.shiftKey) return;
    const row = rowOf(event.target);
    if (!row || (getSelection() + '' && !event.target.closest('a'))) return;
    event.preventDefault();
    toggle(row);
  });

  // Columns.
  const heads = [...$('columns').cells];
  heads.forEach((head, column) => {
    const button = el('button', { type: 'button' }, head.textContent);
    head.replaceChildren(button);
    head.setAttribute('aria-sort', 'none');
    button.addEventListener('click', () => {
      const up = order.column === column ? !order.up : column < 4;
      order = { column, up };
      heads.forEach((other) => other.setAttribute('aria-sort', 'none'));
      head.setAttribute('aria-sort', up ? 'ascending' : 'descending');
      show();
    });
  });

  // Filters.
  const form = $('filters');
  form.hidden = false;
  let timer = 0;
  form.addEventListener('input', () => { clearTimeout(timer); timer = setTimeout(show, 60); });
  form.addEventListener('submit', (event) => event.preventDefault());
  form.addEventListener('reset', () => setTimeout(() => { reset(); show(); }));

  // Keys.
  const keys = [['/', 'search'], ['j  k', 'next, previous tensor'], ['Enter', 'open or close it'], ['Escape', 'close, then clear the filters'], ['?', 'this list']];
  const help = el('dialog', { 'aria-label': 'Keys' }, el('h2', {}, 'Keys'),
    el('dl', {}, keys.map(([key, what]) => [el('dt', {}, el('kbd', {}, key)), el('dd', {}, what)])),
    el('form', { method: 'dialog' }, el('button', {}, 'Close')));
  document.body.append(help);
  $('help').addEventListener('click', () => help.showModal());
  const step = (by) => {
    const all = list();
    if (!all.length) return;
    const at = current ? all.indexOf(current) : -1;
    const next = all[Math.min(Math.max(at + by, 0), all.length - 1)];
    mark(next);
    next.tr.querySelector('a').focus({ preventScroll: true });
    next.tr.scrollIntoView({ block: 'center', behavior: 'instant' });
  };
  document.addEventListener('keydown', (event) => {
    const isTyping = event.target.closest('input, select, textarea');
    if (event.ctrlKey || event.metaKey || event.altKey || help.open) return;
    if (event.key === 'Escape') {
      if (isTyping) { event.target.blur(); return; }
      if (opened) { const { row } = opened; close(); setHash(''); row.tr.querySelector('a').focus(); } else { reset(); show(); }
      return;
    }
    if (isTyping) return;
    if (event.key === '/') { event.preventDefault(); toTable(); fields.q.focus({ preventScroll: true }); fields.q.select(); }
    else if (event.key === 'j') step(1);
    else if (event.key === 'k') step(-1);
    else if (event.key === 'Enter' && current && !event.target.closest('a, button, summary')) toggle(current);
    else if (event.key === '?') help.showModal();
  });

  addEventListener('hashchange', follow);
  if (location.hash) follow();
})();
