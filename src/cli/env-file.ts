import { existsSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { describeFileFault, errorCode, readTextFile } from '@signalman/durable'
import { FILE_VARIABLES } from '../config/secret-files.ts'
import { Variables } from '../config/variables.ts'
import { OperatorError } from './operator.ts'

type Environment = Readonly<Record<string, string | undefined>>

export const ENV_FILE = '.env'

/**
 * Adds the variables of `.env` in this folder, if it exists. The environment takes precedence. Throws OperatorError if the file can't be
 * read.
 */
export const withEnvFile = (environment: Environment): Environment => ({ ...readEnvFile(), ...environment })

/** Reads the variables of `.env` in this folder. Returns none if there's no such file. */
export function readEnvFile(): Environment {
  try {
    return parseEnv(readTextFile(ENV_FILE))
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return {}
    throw new OperatorError(`${ENV_FILE} in this folder ${describeFileFault(error)}.`)
  }
}

/** Whether this isn't the folder of a deployment: it has no `.env`, and no variable of ours is set. */
export const isUnconfigured = (environment: Environment): boolean =>
  !existsSync(ENV_FILE) &&
  ![...Object.keys(Variables.shape), ...FILE_VARIABLES].some((name) => OWN.test(name) && environment[name])

export const NO_CONFIGURATION = `This folder has no ${ENV_FILE}, and no variable of Signalman is set.`

/** Names that no other program uses. */
const OWN = /^(?:SLACK|API|ENCRYPTION)_/

/** Matches values that need no quotes in a shell, Docker, or Node. */
const NEEDS_NO_QUOTES = /^[\w./:@%+=,~-]*$/

/** Whether `writeEnvFile` can write the value: printable ASCII without a single quote, because it puts values in single quotes. */
export const fitsEnvFile = (value: string): boolean => /^[\x20-\x26\x28-\x7e]*$/.test(value)

/** Writes a new `.env` atomically, readable only by its owner. Throws OperatorError if it can't be written. */
export function writeEnvFile(values: Readonly<Record<string, string>>): void {
  const unfinished = `${ENV_FILE}.unfinished`
  const lines = Object.entries(values).map(
    ([name, value]) => `${name}=${NEEDS_NO_QUOTES.test(value) ? value : `'${value}'`}\n`,
  )
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, lines.join(''), { mode: 0o600, flag: 'wx', flush: true })
    renameSync(unfinished, ENV_FILE)
  } catch (error) {
    rmSync(unfinished, { force: true })
    throw new OperatorError(
      `${ENV_FILE} couldn’t be written (${errorCode(error)}). Nothing was changed. Free some disk space, or run this in a folder that you can write to.`,
    )
  }
}
