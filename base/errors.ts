// The one error type that callers see, and the one table of ClickHouse codes and HTTP statuses.
// Every error says by its `action` what the caller should do. Bugs are plain `Error`s, never these.

/** What the caller should do about an error. */
type ErrorAction = 'fix-request' | 'retry' | 'redo' | 'make-smaller' | 'alarm' | 'upgrade';

interface ErrorClass {
  readonly code: number;
  readonly http: number;
  readonly action: ErrorAction;
}

const row = (code: number, http: number, action: ErrorAction = 'fix-request'): ErrorClass => ({
  code,
  http,
  action,
});

/** ClickHouse's error names with their codes; HTTP statuses as ClickHouse answers them. */
export const errorClasses = {
  CANNOT_PARSE_TEXT: row(6, 400),
  NOT_FOUND_COLUMN_IN_BLOCK: row(10, 500),
  PARAMETER_OUT_OF_BOUND: row(12, 400),
  CANNOT_PARSE_ESCAPE_SEQUENCE: row(25, 400),
  CANNOT_PARSE_QUOTED_STRING: row(26, 400),
  CANNOT_PARSE_INPUT_ASSERTION_FAILED: row(27, 400),
  ATTEMPT_TO_READ_AFTER_EOF: row(32, 400),
  CANNOT_READ_ALL_DATA: row(33, 400),
  CANNOT_OPEN_FILE: row(76, 400),
  TOO_FEW_ARGUMENTS_FOR_FUNCTION: row(35, 400),
  BAD_ARGUMENTS: row(36, 400),
  CANNOT_PARSE_DATE: row(38, 400),
  CANNOT_PARSE_DATETIME: row(41, 400),
  NUMBER_OF_ARGUMENTS_DOESNT_MATCH: row(42, 400),
  ILLEGAL_TYPE_OF_ARGUMENT: row(43, 500),
  ILLEGAL_COLUMN: row(44, 400),
  UNKNOWN_FUNCTION: row(46, 404),
  UNKNOWN_IDENTIFIER: row(47, 404),
  NOT_IMPLEMENTED: row(48, 501),
  UNKNOWN_TYPE: row(50, 404),
  EMPTY_LIST_OF_COLUMNS_QUERIED: row(51, 400),
  TYPE_MISMATCH: row(53, 400),
  TABLE_ALREADY_EXISTS: row(57, 500),
  DUPLICATE_COLUMN: row(15, 400),
  UNKNOWN_STORAGE: row(56, 404),
  NO_SUCH_COLUMN_IN_TABLE: row(16, 400),
  NUMBER_OF_COLUMNS_DOESNT_MATCH: row(20, 400),
  ILLEGAL_TYPE_OF_COLUMN_FOR_FILTER: row(59, 500),
  UNKNOWN_TABLE: row(60, 404),
  SYNTAX_ERROR: row(62, 400),
  UNKNOWN_AGGREGATE_FUNCTION: row(63, 404),
  CANNOT_CONVERT_TYPE: row(70, 500),
  CANNOT_PARSE_NUMBER: row(72, 400),
  UNKNOWN_FORMAT: row(73, 404),
  UNKNOWN_DATABASE: row(81, 404),
  DATABASE_ALREADY_EXISTS: row(82, 500),
  UNKNOWN_SETTING: row(115, 404),
  INCORRECT_DATA: row(117, 400),
  INCORRECT_RESULT_OF_SCALAR_SUBQUERY: row(125, 500),
  TOO_LARGE_ARRAY_SIZE: row(128, 400),
  CANNOT_READ_ARRAY_FROM_TEXT: row(130, 400),
  INVALID_LIMIT_EXPRESSION: row(440, 400),
  UNION_ALL_RESULT_STRUCTURES_MISMATCH: row(258, 400),
  TIMEOUT_EXCEEDED: row(159, 408, 'retry'),
  TOO_MANY_ROWS: row(158, 500, 'make-smaller'),
  ILLEGAL_DIVISION: row(153, 500),
  ILLEGAL_AGGREGATION: row(184, 500),
  NOT_AN_AGGREGATE: row(215, 500),
  QUERY_IS_TOO_LARGE: row(232, 413, 'make-smaller'),
  QUERY_WAS_CANCELLED: row(394, 500, 'retry'),
  MULTIPLE_EXPRESSIONS_FOR_ALIAS: row(179, 500),
  SIZES_OF_ARRAYS_DONT_MATCH: row(190, 500),
  MEMORY_LIMIT_EXCEEDED: row(241, 500, 'make-smaller'),
  NOT_ENOUGH_SPACE: row(243, 500, 'retry'),
  TOO_MANY_PARTS: row(252, 500, 'retry'),
  /** Workers or slots are all taken; HTTP says when to come again. */
  TOO_MANY_SIMULTANEOUS_QUERIES: row(202, 429, 'retry'),
  READONLY: row(164, 500),
  NO_COMMON_TYPE: row(386, 500),
  FUNCTION_THROW_IF_VALUE_IS_NON_ZERO: row(395, 500),
  TOO_MANY_ROWS_OR_BYTES: row(396, 500, 'make-smaller'),
  CANNOT_COMPILE_REGEXP: row(427, 400),
  INVALID_JOIN_ON_EXPRESSION: row(403, 400),
  CANNOT_PARSE_UUID: row(376, 400),
  FILE_DOESNT_EXIST: row(107, 404),
  PATH_ACCESS_DENIED: row(481, 403),
  FILE_ALREADY_EXISTS: row(504, 400),
  CANNOT_EXTRACT_TABLE_STRUCTURE: row(636, 400),
  RECEIVED_ERROR_FROM_REMOTE_IO_SERVER: row(86, 502, 'retry'),
  CANNOT_PARSE_BOOL: row(467, 400),
  UNKNOWN_QUERY_PARAMETER: row(456, 400),
  BAD_QUERY_PARAMETER: row(457, 400),
  DECIMAL_OVERFLOW: row(407, 400),
  ARGUMENT_OUT_OF_BOUND: row(69, 400),
  VALUE_IS_OUT_OF_RANGE_OF_DATA_TYPE: row(321, 400),
  CANNOT_INSERT_NULL_IN_ORDINARY_COLUMN: row(349, 400),
  AMBIGUOUS_COLUMN_NAME: row(352, 400),
  TOO_DEEP_AST: row(167, 400),
  TOO_BIG_AST: row(168, 400),
  SUPPORT_IS_DISABLED: row(344, 501),
  UNKNOWN_ELEMENT_OF_ENUM: row(691, 400),
  AUTHENTICATION_FAILED: row(516, 403),
  /** A damaged byte that was used: the message begins `corrupt part <key>`. */
  CORRUPTED_DATA: row(246, 500, 'alarm'),
  CHECKSUM_DOESNT_MATCH: row(40, 500, 'alarm'),
  /** The store refused or failed definitely (credentials, no bucket, disk). */
  S3_ERROR: row(499, 500, 'retry'),
  NETWORK_ERROR: row(210, 503, 'retry'),
  /** The outcome of a commit is not known: it may have happened. Nothing was cleaned up. */
  UNKNOWN_STATUS_OF_INSERT: row(319, 500, 'redo'),
  /** A commit came too late to be judged by its reply and is known not to have happened. */
  ABORTED: row(236, 500, 'retry'),
  /** Lost too many races; nothing was written. */
  UNFINISHED: row(341, 500, 'retry'),
  /** The store holds a newer format, or is not a Muster store. */
  UNKNOWN_FORMAT_VERSION: row(363, 500, 'upgrade'),
  LOGICAL_ERROR: row(49, 500, 'alarm'),
} as const satisfies Record<string, ErrorClass>;

export type ErrorName = keyof typeof errorClasses;

/** Where in the query text an error is: offset in UTF-16 units, line and column from 1. */
export interface ErrorPosition {
  readonly offset: number;
  readonly line: number;
  readonly column: number;
}

/** Where in an input an error is: the row from 1, and the name of the column if it is in one. */
interface RowPlace {
  readonly row: number;
  readonly column?: string;
}

export class MusterError extends Error {
  readonly errorName: ErrorName;
  readonly position: ErrorPosition | undefined;
  readonly place: RowPlace | undefined;

  constructor(errorName: ErrorName, message: string, options: MusterErrorOptions = {}) {
    super(message, options.cause === undefined ? {} : { cause: options.cause });
    this.name = 'MusterError';
    this.errorName = errorName;
    this.position = options.position;
    this.place = options.place;
  }

  get code(): number {
    return errorClasses[this.errorName].code;
  }

  get http(): number {
    return errorClasses[this.errorName].http;
  }

  get action(): ErrorAction {
    return errorClasses[this.errorName].action;
  }
}

interface MusterErrorOptions {
  readonly cause?: unknown;
  readonly position?: ErrorPosition;
  readonly place?: RowPlace;
}
