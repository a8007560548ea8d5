// Endings of names of files that say a format wherever files are read: by a load, a backfill or a table
// function. Each of these may know more.

export const formatsByEnding = {
  csv: 'CSV',
  tsv: 'TabSeparated',
  tab: 'TabSeparated',
  json: 'JSONEachRow',
  jsonl: 'JSONEachRow',
  ndjson: 'JSONEachRow',
  parquet: 'Parquet',
} as const;
