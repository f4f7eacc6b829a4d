// The symbols that LTspice installs in lib/sym: their pins, element letters and default values. A
// special function is an A element, whose terminals have numbers from 1 to 8.

// Pins are [x, y] at the rotation R0, in the order of the element line.
const verticalPins = [
  [0, 16],
  [0, 96],
];
const transistorPins = [
  [64, 0],
  [0, 48],
  [64, 96],
];
const mosfetPins = [
  [48, 0],
  [0, 80],
  [48, 96],
];
const bulkPin = [48, 48];
const jfetPins = [
  [48, 0],
  [0, 64],
  [48, 96],
];
const chipPins = [
  [16, 0],
  [16, 64],
];
const axialPins = [
  [16, 16],
  [16, 96],
];
const sourcePins = [
  [0, 0],
  [0, 80],
];

const symbol = (prefix, pins, value = '') => ({ prefix, pins, value });

/** Returns a special function. pins maps the terminals that its symbol has to their positions. */
export const specialSymbol = (value, pins) =>
  symbol(
    'A',
    [1, 2, 3, 4, 5, 6, 7, 8].map((k) => pins[k]),
    value,
  );
const gatePins = (left, out) => ({
  1: [left, 32],
  2: [left, 48],
  3: [left, 64],
  4: [left, 80],
  5: [left, 96],
  6: [32, 80],
  7: [out, 48],
  8: [-16, 96],
});
const singleInput = { 1: [0, 64] };
const differentialInput = { 1: [0, 48], 2: [0, 80] };
const complementaryOutputs = { 6: [64, 80], 7: [64, 48], 8: [0, 96] };
const directOutput = { 7: [64, 64], 8: [0, 80] };
const invertedOutput = { 6: [64, 64], 8: [0, 80] };
const specials = {
  and: specialSymbol('AND', gatePins(-32, 32)),
  or: specialSymbol('OR', gatePins(-32, 32)),
  xor: specialSymbol('XOR', gatePins(-48, 16)),
  buf: specialSymbol('BUF', { ...singleInput, ...complementaryOutputs }),
  buf1: specialSymbol('BUF', { ...singleInput, ...directOutput }),
  inv: specialSymbol('BUF', { ...singleInput, ...invertedOutput }),
  schmitt: specialSymbol('SCHMITT', { ...singleInput, ...complementaryOutputs }),
  schmtbuf: specialSymbol('SCHMITT', { ...singleInput, ...directOutput }),
  schmtinv: specialSymbol('SCHMITT', { ...singleInput, ...invertedOutput }),
  diffschmitt: specialSymbol('SCHMITT', { ...differentialInput, ...complementaryOutputs }),
  diffschmtbuf: specialSymbol('SCHMITT', { ...differentialInput, 7: [64, 64], 8: [0, 96] }),
  diffschmtinv: specialSymbol('SCHMITT', { ...differentialInput, 6: [64, 64], 8: [0, 96] }),
  dflop: specialSymbol('DFLOP', {
    1: [-80, 48],
    3: [-80, 96],
    4: [0, 0],
    5: [0, 144],
    6: [96, 96],
    7: [80, 48],
    8: [-80, 144],
  }),
  srflop: specialSymbol('SRFLOP', {
    1: [-48, 48],
    2: [-48, 96],
    6: [64, 96],
    7: [48, 48],
    8: [-48, 128],
  }),
  counter: specialSymbol('COUNTER', { 1: [-80, 32], 6: [144, 64], 7: [144, 0], 8: [-80, 128] }),
  phidet: specialSymbol('PHASEDET', { 1: [-32, -16], 2: [-32, 16], 7: [96, 0], 8: [-32, 48] }),
  modulate: specialSymbol('MODULATOR', { 1: [0, 0], 2: [0, 64], 7: [144, 32], 8: [0, 96] }),
  modulate2: specialSymbol('MODULATOR', {
    1: [0, 0],
    2: [0, 64],
    6: [144, 64],
    7: [144, 0],
    8: [0, 96],
  }),
  sample: specialSymbol('SAMPLEHOLD', {
    1: [-80, -32],
    2: [-80, 0],
    3: [-80, 32],
    4: [-80, 64],
    7: [96, 16],
    8: [-80, 96],
  }),
  varistor: specialSymbol('VARISTOR', { 1: [-32, 48], 2: [-32, 80], 7: [-16, 32], 8: [-16, 96] }),
};
/** The symbols by name. */
export const symbols = new Map(
  Object.entries({
    ...specials,
    res: symbol('R', axialPins),
    res2: symbol('R', chipPins),
    cap: symbol('C', chipPins),
    polcap: symbol('C', chipPins),
    ind: symbol('L', axialPins),
    ind2: symbol('L', axialPins),
    voltage: symbol('V', verticalPins),
    current: symbol('I', sourcePins),
    load2: symbol('I', sourcePins),
    load: symbol('I', chipPins),
    bv: symbol('B', verticalPins),
    bi: symbol('B', sourcePins),
    bi2: symbol('B', [...sourcePins].reverse()),
    diode: symbol('D', chipPins, 'D'),
    zener: symbol('D', chipPins, 'D'),
    schottky: symbol('D', chipPins, 'D'),
    led: symbol('D', chipPins, 'D'),
    varactor: symbol('D', chipPins, 'D'),
    npn: symbol('Q', transistorPins, 'NPN'),
    npn2: symbol('Q', transistorPins, 'NPN'),
    npn3: symbol('Q', transistorPins, 'NPN'),
    npn4: symbol('Q', [...transistorPins, [64, 48]], 'NPN'),
    pnp: symbol('Q', transistorPins, 'PNP'),
    pnp2: symbol('Q', transistorPins, 'PNP'),
    pnp4: symbol('Q', [...transistorPins, [64, 48]], 'PNP'),
    lpnp: symbol('Q', [...transistorPins, [64, 48]], 'LPNP'),
    nmos: symbol('M', mosfetPins, 'NMOS'),
    pmos: symbol('M', mosfetPins, 'PMOS'),
    nmos4: symbol('M', [...mosfetPins, bulkPin], 'NMOS'),
    pmos4: symbol('M', [...mosfetPins, bulkPin], 'PMOS'),
    njf: symbol('J', jfetPins, 'NJF'),
    pjf: symbol('J', jfetPins, 'PJF'),
    e: symbol('E', [...verticalPins, [-48, 32], [-48, 80]]),
    e2: symbol('E', [...verticalPins, [-48, 80], [-48, 32]]),
    g: symbol('G', [
      [0, 96],
      [0, 16],
      [-48, 32],
      [-48, 80],
    ]),
    g2: symbol('G', [
      [0, 96],
      [0, 16],
      [-48, 80],
      [-48, 32],
    ]),
    f: symbol('F', sourcePins),
    h: symbol('H', verticalPins),
    sw: symbol('S', [...verticalPins, [-48, 80], [-48, 32]], 'SW'),
    csw: symbol('W', sourcePins, 'CSW'),
    tline: symbol(
      'T',
      [
        [-48, -16],
        [-48, 16],
        [48, -16],
        [48, 16],
      ],
      'Td=50n Z0=50',
    ),
    opamp: symbol(
      'X',
      [
        [-32, 48],
        [-32, 80],
        [32, 64],
      ],
      'opamp',
    ),
    opamp2: symbol(
      'X',
      [
        [-32, 80],
        [-32, 48],
        [0, 32],
        [0, 96],
        [32, 64],
      ],
      'opamp2',
    ),
    universalopamp2: symbol(
      'X',
      [
        [-32, 16],
        [-32, -16],
        [0, -32],
        [0, 32],
        [32, 0],
      ],
      'level.2',
    ),
  }),
);
