package homelab

// btuPerWattHour is how many BTU (International Table) an hour of one watt is: 3600 s over
// 1055.05585262 J.
const btuPerWattHour = 3.412141633

// btuPerTon is a ton of refrigeration in BTU/h: 2000 lb of ice a day at 144 BTU/lb.
const btuPerTon = 12000
