// What uPlot finds in place of Intl (see web/merge). As soon as it is loaded it makes a formatter of
// numbers and asks for the time zone, which takes a slow processor a tenth of a second, for labels
// that the plots here write themselves and for axes of dates, which they do not have.

class NumberFormat {
  #arguments;
  #made;
  constructor(...given) { this.#arguments = given; }

  format(v) { return (this.#made ??= new globalThis.Intl.NumberFormat(...this.#arguments)).format(v); }
}

class DateTimeFormat {
  resolvedOptions() { return {}; }
}

const later = { NumberFormat, DateTimeFormat };
export { later as Intl };
