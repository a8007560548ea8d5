// The environment is read here alone. Which variables mean what is declared where they are used:
// those of the command line in cli/options.ts. The AWS SDK reads its own.

export type Environment = Readonly<Record<string, string | undefined>>;

/** What it is now; later changes aren't seen. */
export function readEnvironment(): Environment {
  const { env } = process;
  // The SDK's advice on Node's version, on standard error, is for us and not for who runs Muster.
  env['AWS_SDK_JS_NODE_VERSION_SUPPORT_WARNING_DISABLED'] ??= 'true';
  return { ...env };
}

/** What worker processes inherit: credentials come to them this way alone. */
export function workerEnvironment(): Environment {
  return { ...process.env };
}
