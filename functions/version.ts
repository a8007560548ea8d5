// What Muster calls itself in answers: ClickHouse's version that it speaks like, and its own.

export const musterVersion = '26.7.2.1 muster 0.1.0';
export const displayName = 'muster';
