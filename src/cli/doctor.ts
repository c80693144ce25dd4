import { examine } from '../doctor/examine.ts'
import type { DoctorFinding } from '../doctor/finding.ts'
import { printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'

const HELP = `
Checks the configuration, the database (by writing a row), the keys, the disk, the clock, the tokens and their scopes, Socket
Mode or the public address (with a signed request), the service, and the last backup. For each problem it
tells you how to fix it. It can run next to the app. The exit code is 1 if there is a problem.

  --json            prints the findings as JSON

Read from the environment: the variables in docs/variables.md.
`

export const doctor = operatorVerb({
  help: HELP,
  flags: {
    json: { type: 'boolean' },
  },
  async run({ values }, environment) {
    const findings = await examine({ environment })
    if (values.json) printLine(JSON.stringify({ findings }, null, 2))
    else for (const line of findings.flatMap(formatFinding)) printLine(line)
    const faults = findings.filter(({ state }) => state === 'fault').length
    if (!values.json) printLine(formatSummary(faults))
    return faults === 0 ? 0 : 1
  },
})

function formatSummary(faults: number): string {
  if (faults === 0) return 'No problems found.'
  return faults === 1 ? '1 problem found.' : `${faults} problems found. Start with the first one.`
}

const LABELS = { ok: 'ok', fault: 'FAIL', advice: 'advice', skipped: 'skipped' } as const
/** The longest label and a space. */
const LABEL_WIDTH = 8

function formatFinding({ part, state, message, fix }: DoctorFinding): string[] {
  const fixLines = fix === undefined ? [] : [`${' '.repeat(LABEL_WIDTH)}→ ${fix}`]
  return [`${LABELS[state].padEnd(LABEL_WIDTH)}${part}: ${message}`, ...fixLines]
}
