// A replacement of Intl for uPlot (see web/merge). When uPlot loads, it creates a number formatter
// and requests the time zone, which takes 0.1 s on a slow processor. The plots of this page format
// their ticks themselves and have no date axes.

class NumberFormat {
  #options;
  #formatter;
  constructor(...options) {
    this.#options = options;
  }

  format(v) {
    return (this.#formatter ??= new globalThis.Intl.NumberFormat(...this.#options)).format(v);
  }
}

class DateTimeFormat {
  resolvedOptions() {
    return {};
  }
}

const lazyIntl = { NumberFormat, DateTimeFormat };
export { lazyIntl as Intl };
