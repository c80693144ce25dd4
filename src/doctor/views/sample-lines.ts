import { SAMPLE_ADDRESS, SAMPLE_CERTIFICATE, SAMPLE_THREAT } from './sample-data.ts'

/** The ids that lines are about. */
export interface LineSubjects {
  check: string
  threat: string
  certificate: string
  person: string
}

export const SAMPLE_SUBJECTS: LineSubjects = {
  check: 'web-7',
  threat: SAMPLE_THREAT,
  certificate: SAMPLE_CERTIFICATE,
  person: '<@U0SAMPLE02>',
}

/** The words after a verb that needs a subject. */
function wordsFor(line: string, { check, certificate, person }: LineSubjects): string {
  const words: Readonly<Record<string, string>> = {
    '/hc list': 'web-* --status HEALTHY',
    '/hc show': check,
    '/hc edit': check,
    '/hc delete': check,
    '/hc diagnose': check,
    '/hc alerts': check,
    '/hc alert-add': check,
    '/hc alert-edit': `${check} 1`,
    '/hc alert-remove': `${check} 1`,
    '/hc alert-recipients': `${check} 1`,
    '/hc clone': 'web-1* --suffix -copy',
    '/hc recipients': SAMPLE_ADDRESS,
    '/hc recipient-replace': SAMPLE_ADDRESS,
    '/hc watch': 'web-*',
    '/hc mute': `${check} 2h`,
    '/hc mute-for': check,
    '/hc watches': '--all',
    '/hc history': `${check} --days 30`,
    '/hc access-request': 'approver',
    '/hc grant': `${person} operator 8h`,
    '/hc token-generate': '--show',
    '/threat find': '192.0.2.1',
    '/cert-order renew': certificate,
    '/cert-order reissue': certificate,
    '/cert-order resolve': '1 failed',
  }
  return words[line] ?? (line.startsWith('/cert-order ') ? '1' : '')
}

/** A line with this verb, as a person might type it. */
export function sampleLine(
  { command, verb }: { command: string; verb: string },
  subjects: LineSubjects,
): string {
  const line = `/${command} ${verb}`.trim()
  const takesId = command === 'threat' && !['find', 'memory', 'help', 'queue'].includes(verb)
  return `${line} ${takesId ? subjects.threat : wordsFor(line, subjects)}`.trim()
}
