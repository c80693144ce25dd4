import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { errorCode } from '@signalman/durable'
import { OperatorError } from './operator.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** In the folder in which the program is run. */
export const ENV_FILE = '.env'

/** What stands in `.env` here, if there is one, and whatever the environment says, which counts more. */
export function withEnvFile(environment: Environment): Environment {
  try {
    return { ...parseEnv(readFileSync(ENV_FILE, 'utf8')), ...environment }
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return environment
    throw new OperatorError(
      `${ENV_FILE} in this folder can’t be read (${errorCode(error)}). Make it readable for this user, or remove it.`,
    )
  }
}

/** Needs no quotes, for a shell, for Docker and for Node alike. */
const PLAIN = /^[\w./:@%+=,~-]*$/

/** Whether a value can stand in the file: on one line, and without what ends the quotes. */
export const fitsEnvFile = (value: string): boolean => /^[\x20-\x26\x28-\x7e]*$/.test(value)

/**
 * Writes the file at once or not at all, readable by nobody else; one that is there is kept under the name that is the answer.
 * Throws OperatorError where the disk takes no file.
 */
export function writeEnvFile(values: Readonly<Record<string, string>>, now: Date): string | undefined {
  const unfinished = `${ENV_FILE}.unfinished`
  const lines = Object.entries(values).map(
    ([name, value]) => `${name}=${PLAIN.test(value) ? value : `'${value}'`}\n`,
  )
  const former = existsSync(ENV_FILE) ? `${ENV_FILE}.${now.toISOString().replaceAll(':', '-')}` : undefined
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, lines.join(''), { mode: 0o600, flag: 'wx', flush: true })
    // A copy, so that whoever is killed here leaves one of the two in its place.
    if (former !== undefined)
      writeFileSync(former, readFileSync(ENV_FILE), { mode: 0o600, flag: 'wx', flush: true })
    renameSync(unfinished, ENV_FILE)
    return former
  } catch (error) {
    for (const name of [unfinished, former]) if (name) rmSync(name, { force: true })
    throw new OperatorError(
      `${ENV_FILE} couldn’t be written (${errorCode(error)}). Nothing was changed. Free some disk space, or run this in a folder that you can write to.`,
    )
  }
}
