/** The path of flights.csv: 336,776 rows and a header. Downloads it the first time. */
export function fetchFlights(): string;
