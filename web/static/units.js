// Units that the page and the server read and show. tools/quantity/units.json has the same text,
// from the first brace to the last; a test compares them. A unit of a family is mult × 10^exp base
// units. A family accepts the prefixes f p n µ m k M G T before its base. "steps" are the prefixes
// of results. Values of a family with "keep" remain in their unit unless they are very large or
// small.
// prettier-ignore
export default {
  "prefixes": {
    "f": -15,
    "p": -12,
    "n": -9,
    "u": -6,
    "µ": -6,
    "μ": -6,
    "m": -3,
    "k": 3,
    "K": 3,
    "M": 6,
    "meg": 6,
    "G": 9,
    "T": 12
  },
  "families": [
    { "base": "Hz", "spellings": ["Hz", "hz"], "steps": "µmkMGT" },
    { "base": "V", "spellings": ["V", "v"], "steps": "nµmkM" },
    { "base": "A", "spellings": ["A", "a"], "steps": "pnµmk" },
    { "base": "V/√Hz", "spellings": ["V/√Hz"], "steps": "pnµm" },
    { "base": "A/√Hz", "spellings": ["A/√Hz"], "steps": "fpnµ" },
    {
      "base": "W",
      "spellings": ["W", "w"],
      "steps": "pnµmkMG",
      "others": { "hp": [745.6998715822702, 0] }
    },
    { "base": "VA", "spellings": ["VA"], "steps": "mkM" },
    { "base": "var", "spellings": ["var"], "steps": "mkM" },
    { "base": "Ω", "spellings": ["Ω", "Ω", "ohm", "ohms", "Ohm", "R"], "steps": "µmkMG" },
    { "base": "S", "spellings": ["S"], "steps": "nµm" },
    { "base": "F", "spellings": ["F"], "steps": "fpnµm" },
    { "base": "H", "spellings": ["H"], "steps": "pnµm" },
    { "base": "J", "spellings": ["J"], "steps": "nµmkMG" },
    { "base": "C", "spellings": ["C"], "steps": "pnµm" },
    { "base": "Pa", "spellings": ["Pa"], "steps": "mkM", "keep": true },
    { "base": "Wh", "spellings": ["Wh"], "steps": "mkMG", "keep": true },
    { "base": "Ah", "spellings": ["Ah"], "steps": "m", "keep": true },
    { "base": "bit/s", "spellings": ["bit/s", "bps", "b/s"], "steps": "kMG", "keep": true },
    {
      "base": "B",
      "spellings": ["B"],
      "steps": "kMGT",
      "keep": true,
      "others": {
        "KiB": [1024, 0],
        "MiB": [1048576, 0],
        "GiB": [1073741824, 0],
        "TiB": [1099511627776, 0]
      }
    },
    {
      "base": "s",
      "spellings": ["s"],
      "steps": "pnµm",
      "others": { "min": [60, 0], "h": [3600, 0], "d": [86400, 0] }
    },
    {
      "base": "m",
      "spellings": ["m"],
      "steps": "nµmk",
      "keep": true,
      "others": {
        "cm": [1, -2],
        "mil": [254, -7],
        "in": [254, -4],
        "\"": [254, -4],
        "ft": [3048, -4],
        "'": [3048, -4],
        "yd": [9144, -4],
        "mi": [1609344, -3]
      }
    },
    {
      "base": "g",
      "spellings": ["g"],
      "steps": "µmk",
      "keep": true,
      "others": { "lb": [45359237, -5] }
    }
  ],
  "temperatures": {
    "°C": [1, 273.15],
    "C": [1, 273.15],
    "K": [1, 0],
    "°F": [0.5555555555555556, 459.67],
    "F": [0.5555555555555556, 459.67]
  }
};
