// This folder: runs for whoever has a real Slack workspace, or an account with the service. They don't use the app's own clients, so
// they don't share their faults.

import { existsSync, writeFileSync } from 'node:fs'
import { setGlobalProxyFromEnv } from 'node:http'
import { type ParseArgsConfig, parseArgs } from 'node:util'
import { readProxies, rootCause } from '@signalman/runtime'
import { readSecretFiles } from '../../src/config/secret-files.ts'
import type { DoctorFinding } from '../../src/doctor/finding.ts'
import { VERSION } from '../../src/version.ts'

/** What a check found. `came` says what came instead, or why it couldn’t be tried. */
export interface Finding {
  readonly check: string
  readonly result: 'as expected' | 'different' | 'couldn’t be tried'
  readonly came?: string
}

/** Thrown by a check that can’t be tried. */
export class NotTried extends Error {}

/** Thrown by a check that got something else than what it expects. */
export class Different extends Error {}

/** Checks by what they expect. Each resolves with what came instead, or with undefined if that is what came. */
export type Checks = Readonly<Record<string, () => Promise<string | undefined>>>

export const expectTrue = (isTrue: boolean, came: unknown): string | undefined =>
  isTrue ? undefined : String(came)

/** Runs checks one after the other. `describe` begins with the code of an error, and those of `notTried` aren’t about the check. */
export async function runChecks(
  checks: Checks,
  describe: (error: unknown) => string,
  notTried: readonly string[] = [],
): Promise<Finding[]> {
  const findings: Finding[] = []
  for (const [check, run] of Object.entries(checks)) {
    try {
      const came = await run()
      findings.push(
        came === undefined ? { check, result: 'as expected' } : { check, result: 'different', came },
      )
    } catch (error) {
      const isOwn = error instanceof NotTried || error instanceof Different
      const came = isOwn ? error.message : describe(error)
      const isTried = !(error instanceof NotTried) && !notTried.includes(came.split(' ')[0] ?? '')
      findings.push({ check, result: isTried ? 'different' : 'couldn’t be tried', came })
    }
  }
  return findings
}

/** A line for each finding that isn’t as expected, and a line that counts the others. */
export function describeFindings(findings: readonly Finding[]): string[] {
  const odd = findings.filter(({ result }) => result !== 'as expected')
  const lines = odd.map(({ check, result, came }) => `${result}: ${check}: ${came}`)
  return [...lines.toSorted().toReversed(), `as expected: ${findings.length - odd.length}`]
}

/** Writes the file for an issue, without any of `secrets`. */
export function writeReport(file: string, report: object, secrets: readonly (string | undefined)[]): void {
  const about = { version: VERSION, at: new Date().toISOString() }
  const text = JSON.stringify({ ...about, ...report }, undefined, 2)
  const removeFrom = (kept: string, secret?: string) => (secret ? kept.replaceAll(secret, '…') : kept)
  try {
    writeFileSync(file, secrets.reduce<string>(removeFrom, text))
  } catch (error) {
    throw new Error(`${file} couldn’t be written (${rootCause(error)}). Use a folder that you may write in.`)
  }
}

/** The variables as the app reads them: also from `.env`, and secrets from their files. */
export function readVariables(): Readonly<Record<string, string | undefined>> {
  if (existsSync('.env')) process.loadEnvFile('.env')
  const { environment, faults } = readSecretFiles(process.env)
  if (faults[0] !== undefined) throw new Error(faults[0])
  const { httpProxy, httpsProxy, noProxy } = readProxies()
  // For requests and sockets that aren't made by the app's own clients.
  setGlobalProxyFromEnv({ HTTP_PROXY: httpProxy, HTTPS_PROXY: httpsProxy, NO_PROXY: noProxy })
  return environment
}

/** Which of the values that a run needs aren’t there, and how it’s called. */
export function describeMissing(needed: Readonly<Record<string, string | undefined>>, usage: string): string {
  const missing = Object.keys(needed).filter((name) => !needed[name])
  return `Missing: ${missing.join(', ')}.\n\n${usage}`
}

/** Parses the arguments of a run. An error says which one is wrong, and how it’s called. */
export function readArguments<Config extends ParseArgsConfig>(config: Config, usage: string) {
  try {
    return parseArgs(config)
  } catch (error) {
    throw new Error(`${error instanceof Error ? error.message : error}\n\n${usage}`)
  }
}

/** What keeps a run from its start, and what to do, as the doctor says it. `words` if the doctor finds nothing. */
export async function explainStart(
  words: string,
  examined: Promise<readonly DoctorFinding[]>,
): Promise<string> {
  const found = (await examined).find(({ state }) => state === 'fault')
  return found ? [found.message, found.fix].filter(Boolean).join(' ') : words
}

export const say = (line: string): void => void process.stdout.write(`${line}\n`)
