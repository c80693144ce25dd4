import { examine } from '../doctor/examine.ts'
import { type DoctorFinding, fault } from '../doctor/finding.ts'
import { pluralize } from '../domain/wording.ts'
import { ENV_FILE, isUnconfigured, NO_CONFIGURATION } from './env-file.ts'
import { printLine } from './operator.ts'
import { operatorVerb } from './operator-verb.ts'

const HELP = `
Checks the configuration, the database (by writing a row), the keys, the disk, the clock, the tokens and their scopes, Socket
Mode or the public address (with a signed request), and the service. Says first what is wrong and how to fix it, then what works.
It can run next to the app. The exit code is 1 if there is a problem.

  --json            prints the findings as JSON

Read from the environment: the variables in docs/variables.md.
`

export const doctor = operatorVerb({
  help: HELP,
  flags: {
    json: { type: 'boolean' },
  },
  async run({ values }, environment) {
    if (process.stderr.isTTY) process.stderr.write('Checking. This can take half a minute.\n')
    const findings = isUnconfigured(environment) ? [NOT_SET_UP] : await examine({ environment })
    const faults = findings.filter(({ state }) => state === 'fault')
    if (values.json) printLine(JSON.stringify({ findings }, null, 2))
    else for (const line of formatFindings(findings)) printLine(line)
    return faults.length === 0 ? 0 : 1
  },
})

const NOT_SET_UP = fault(
  'configuration',
  NO_CONFIGURATION,
  `Run this in the folder with ${ENV_FILE}, or create one with npx signalman init.`,
)

/** What is wrong comes first; what works is only counted and named. */
function formatFindings(findings: readonly DoctorFinding[]): string[] {
  const inState = (state: DoctorFinding['state']) => findings.filter((finding) => finding.state === state)
  const faults = inState('fault').length
  const works = inState('ok').map(({ part }) => part)
  return [
    faults === 0
      ? 'No problems found.'
      : `${pluralize(faults, 'problem')} found. After you change a variable, restart the app.`,
    ...(['fault', 'advice', 'skipped'] as const).flatMap((state) => inState(state).flatMap(formatFinding)),
    ...(works.length === 0
      ? []
      : [`${pluralize(works.length, 'thing works', 'things work')}: ${works.join(', ')}.`]),
  ]
}

const LABELS = { ok: 'ok', fault: 'FAIL', advice: 'advice', skipped: 'skipped' } as const
/** The longest label and a space. */
const LABEL_WIDTH = 8

function formatFinding({ part, state, message, fix }: DoctorFinding): string[] {
  const fixLines = fix === undefined ? [] : [`${' '.repeat(LABEL_WIDTH)}→ ${fix}`]
  return [`${LABELS[state].padEnd(LABEL_WIDTH)}${part}: ${message}`, ...fixLines]
}
