// A replacement of Intl for uPlot (see web/merge). At its load uPlot makes a formatter of numbers
// and asks for the time zone, which takes a slow processor 0.1 s. The plots here write their labels
// themselves and have no axes of dates.

class NumberFormat {
  #arguments;
  #made;
  constructor(...given) {
    this.#arguments = given;
  }

  format(v) {
    return (this.#made ??= new globalThis.Intl.NumberFormat(...this.#arguments)).format(v);
  }
}

class DateTimeFormat {
  resolvedOptions() {
    return {};
  }
}

const later = { NumberFormat, DateTimeFormat };
export { later as Intl };
