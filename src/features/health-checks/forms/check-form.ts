import { FieldErrors } from '@signalman/runtime'
import type { Answers } from '@signalman/slack'
import type { HealthCheckBody } from '../../../service/health-checks.ts'
import { FIELDS, findUsualPort, readTyped } from '../rules/fields.ts'
import { describePortConflict } from '../rules/settings.ts'

/** Parses a form's answers. An empty port is the usual one. Throws FieldErrors. */
export function readForm(answers: Answers): HealthCheckBody {
  const typed = FIELDS.flatMap((field) => {
    const answer = answers.text(field) ?? answers.choice(field)
    // An empty address follows DNS.
    if (answer === undefined && field === 'httpServerAddress') return []
    if (answer === undefined && field === 'port') {
      const check = { protocol: answers.choice('protocol'), target: answers.text('target') }
      return [['port', String(findUsualPort(check) ?? '')]]
    }
    return answers.has(field) ? [[field, answer ?? '']] : []
  })
  const { httpServerAddress, ...body } = readTyped(Object.fromEntries(typed))
  // Cast: the form asks for every required field.
  return { ...body, ...(httpServerAddress && { httpServerAddress }) } as HealthCheckBody
}

/** Throws FieldErrors if the target is a URL that names another port than the port field. */
export function refusePortConflict(body: HealthCheckBody): void {
  const conflict = describePortConflict(body)
  if (conflict !== undefined) throw new FieldErrors({ port: conflict })
}
