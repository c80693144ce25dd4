import { existsSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs'
import { parseEnv } from 'node:util'
import { errorCode } from '@signalman/durable'
import { OperatorError } from './operator.ts'

type Environment = Readonly<Record<string, string | undefined>>

/** The name of the file. It is in the folder that the program runs in. */
export const ENV_FILE = '.env'

/**
 * Adds the variables of `.env` in this folder, if it exists. The environment takes precedence. Throws OperatorError if the file can't be
 * read, or if a line of it would have no effect or only a part of one.
 */
export const withEnvFile = (environment: Environment): Environment => ({ ...readEnvFile(), ...environment })

/** Reads the variables of `.env` in this folder. Returns none if there's no such file. */
export function readEnvFile(): Environment {
  const text = readText()
  if (text === undefined) return {}
  const problems = findLineProblems(text)
  if (problems.length > 0)
    throw new OperatorError(`${ENV_FILE} in this folder can’t be used:\n${problems.join('\n')}`)
  return parseEnv(text)
}

function readText(): string | undefined {
  try {
    // Some editors on Windows write a byte order mark first, which would be part of the first name.
    return readFileSync(ENV_FILE, 'utf8').replace(/^\ufeff/, '')
  } catch (error) {
    if (errorCode(error) === 'ENOENT') return undefined
    throw new OperatorError(
      `${ENV_FILE} in this folder can’t be read (${errorCode(error)}). Make it readable for this user, or remove it.`,
    )
  }
}

const ASSIGNMENT = /^\s*(?:export\s+)?(?<name>[A-Za-z_][\w.-]*)\s*=(?<value>.*)$/

/** Finds lines that `parseEnv` would ignore, or whose value it would cut. Names lines and variables, never values. */
function findLineProblems(text: string): string[] {
  const names = new Set<string>()
  return text.split(/\r?\n/).flatMap((line, index) => {
    if (/^\s*(?:#|$)/.test(line)) return []
    const { name, value = '' } = ASSIGNMENT.exec(line)?.groups ?? {}
    if (name === undefined) return [`- Line ${index + 1} isn’t NAME=value; correct it, or put # at its start`]
    const problem = names.has(name)
      ? 'is on an earlier line, too; remove one of them'
      : findValueProblem(value)
    names.add(name)
    return problem === undefined ? [] : [`- Line ${index + 1}: ${name} ${problem}`]
  })
}

/** A value in quotes, with nothing but a comment after them. */
const QUOTED = /^(["'`])(?:(?!\1).)*\1\s*(?:#.*)?$/

/** Node cuts a value without quotes at any `#`, and Docker only at one after a space. */
function findValueProblem(value: string): string | undefined {
  const typed = value.trim()
  if (/^["'`]/.test(typed))
    return QUOTED.test(typed)
      ? undefined
      : 'begins with a quote, and doesn’t end with the same one; remove it, or correct the end'
  return value.replace(/\s#.*$/, '').includes('#')
    ? 'contains #, which begins a comment; put the value in single quotes'
    : undefined
}

/** Matches values that need no quotes in a shell, Docker, or Node. */
const NEEDS_NO_QUOTES = /^[\w./:@%+=,~-]*$/

/** Whether `writeEnvFile` can write the value: printable ASCII without a single quote, because it puts values in single quotes. */
export const fitsEnvFile = (value: string): boolean => /^[\x20-\x26\x28-\x7e]*$/.test(value)

/**
 * Writes `.env` atomically, readable only by its owner. An existing file is kept under another name, which is returned. Throws
 * OperatorError if `.env` can't be written.
 */
export function writeEnvFile(values: Readonly<Record<string, string>>, now: Date): string | undefined {
  const unfinished = `${ENV_FILE}.unfinished`
  const lines = Object.entries(values).map(
    ([name, value]) => `${name}=${NEEDS_NO_QUOTES.test(value) ? value : `'${value}'`}\n`,
  )
  const previous = existsSync(ENV_FILE) ? `${ENV_FILE}.${now.toISOString().replaceAll(':', '-')}` : undefined
  try {
    rmSync(unfinished, { force: true })
    writeFileSync(unfinished, lines.join(''), { mode: 0o600, flag: 'wx', flush: true })
    // Copy the previous file instead of renaming it, so that `.env` exists even if the process dies here.
    if (previous !== undefined)
      writeFileSync(previous, readFileSync(ENV_FILE), { mode: 0o600, flag: 'wx', flush: true })
    renameSync(unfinished, ENV_FILE)
    return previous
  } catch (error) {
    for (const name of [unfinished, previous]) if (name) rmSync(name, { force: true })
    throw new OperatorError(
      `${ENV_FILE} couldn’t be written (${errorCode(error)}). Nothing was changed. Free some disk space, or run this in a folder that you can write to.`,
    )
  }
}
