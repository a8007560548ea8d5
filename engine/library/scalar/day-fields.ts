// Calendar fields of day numbers. Those of the 65,536 days of a Date are kept in tables, so that
// toYear and its kin are one load per row.

import { civilFromDays, dayOfWeek, daysFromCivil } from '../../values/civil-date.ts';

const dateDays = 65_536;
let years: Uint16Array | undefined;
let months: Uint8Array | undefined;
let monthDays: Uint8Array | undefined;

function fill(): void {
  years = new Uint16Array(dateDays);
  months = new Uint8Array(dateDays);
  monthDays = new Uint8Array(dateDays);
  for (let day = 0; day < dateDays; day++) {
    const civil = civilFromDays(day);
    years[day] = civil.year;
    months[day] = civil.month;
    monthDays[day] = civil.day;
  }
}

export function yearOf(day: number): number {
  if (years === undefined) fill();
  return years?.[day] ?? civilFromDays(day).year;
}

/** 1..12. */
export function monthOf(day: number): number {
  if (months === undefined) fill();
  return months?.[day] ?? civilFromDays(day).month;
}

export function dayOfMonthOf(day: number): number {
  if (monthDays === undefined) fill();
  return monthDays?.[day] ?? civilFromDays(day).day;
}

export function quarterOf(day: number): number {
  return Math.floor((monthOf(day) - 1) / 3) + 1;
}

export function dayOfYearOf(day: number): number {
  return day - daysFromCivil(yearOf(day), 1, 1) + 1;
}

/** Months since year 0. */
export function monthNumberOf(day: number): number {
  return yearOf(day) * 12 + monthOf(day) - 1;
}

export function startOfMonth(day: number): number {
  return day - dayOfMonthOf(day) + 1;
}

export function startOfQuarter(day: number): number {
  return daysFromCivil(yearOf(day), quarterOf(day) * 3 - 2, 1);
}

export function startOfYear(day: number): number {
  return daysFromCivil(yearOf(day), 1, 1);
}

export function lastOfMonth(day: number): number {
  return daysFromCivil(yearOf(day), monthOf(day) + 1, 1) - 1;
}

/** The Monday on or before. */
export function mondayOf(day: number): number {
  return day - dayOfWeek(day) + 1;
}

/** The Sunday on or before. */
export function sundayOf(day: number): number {
  return day - (dayOfWeek(day) % 7);
}

/** The year of the Thursday of the day's week. */
export function isoYearOf(day: number): number {
  return yearOf(mondayOf(day) + 3);
}

export function isoWeekOf(day: number): number {
  const thursday = mondayOf(day) + 3;
  return Math.floor((dayOfYearOf(thursday) - 1) / 7) + 1;
}

export function startOfIsoYear(day: number): number {
  return mondayOf(daysFromCivil(isoYearOf(day), 1, 4));
}

/** The day `count` months later; past the month's end its last day. */
export function addMonths(day: number, count: number): number {
  const month = monthNumberOf(day) + count;
  const year = Math.floor(month / 12);
  const first = daysFromCivil(year, month - year * 12 + 1, 1);
  const last = daysFromCivil(year, month - year * 12 + 2, 1) - 1;
  return Math.min(first + dayOfMonthOf(day) - 1, last);
}
