import { type ParseArgsConfig, parseArgs } from 'node:util'
import { setCommandPrefix } from '../domain/command-names.ts'
import type { StopSignals } from './stop-signals.ts'

/** A subcommand of the program, called a verb here. Each has its own module, which is loaded when needed. */
export interface OperatorVerb {
  /** Printed by `--help` below the usage line: flags, variables, and exit codes. */
  readonly help: string
  /** The options of `parseArgs`. A test checks that `ListedVerb.usage` shows each flag. */
  readonly flags: Flags
  /**
   * Runs the verb, and resolves with the exit code (docs/operate.md). `serve` runs until it gets a stop signal; if one arrives
   * during startup, it stops right away. Throws OperatorError, StoreError, or ConfigError for problems that the operator can fix,
   * and the error of `parseArgs` for wrong flags.
   */
  run(args: readonly string[], environment: Environment, signals?: StopSignals): Promise<number>
}

type Environment = Readonly<Record<string, string | undefined>>
type Flags = NonNullable<ParseArgsConfig['options']>
type ParsedArgs<F extends Flags> = ReturnType<
  typeof parseArgs<{ args: string[]; options: F; allowPositionals: boolean }>
>

/** Declares a verb, and parses its flags before it runs. */
export const operatorVerb = <const F extends Flags>(verb: {
  help: string
  flags: F
  allowPositionals?: true
  run(parsed: ParsedArgs<F>, environment: Environment, signals?: StopSignals): Promise<number>
}): OperatorVerb => ({
  ...verb,
  async run(args, environment, ...more) {
    const { flags: options, allowPositionals = false } = verb
    using _ = setCommandPrefix(environment.COMMAND_PREFIX?.trim() ?? '')
    return await verb.run(parseArgs({ args: [...args], options, allowPositionals }), environment, ...more)
  },
})
