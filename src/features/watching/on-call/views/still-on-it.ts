import { card, commandButton, type Message } from '@signalman/slack'
import { type Environment, environmentSuffix } from '../../../../domain/environment.ts'
import type { Incident } from '../../rules/incident.ts'
import { countChecks, incidentName } from '../../views/words.ts'

/** The direct message to a person who has been on something for a day or longer. */
export function stillOnItView(
  environment: Environment,
  incidents: readonly Pick<Incident, 'check'>[],
): Message {
  const [first] = incidents
  const names =
    first && incidents.length === 1
      ? `${incidentName(first.check)}${environmentSuffix(environment)}`
      : `${countChecks(incidents)}${environmentSuffix(environment)}`
  return card({
    headline: `Still on it? You’re marked as on ${names}.`,
    notes: [
      'While you’re on it, nobody is paged or reminded. If you aren’t anymore, step down or hand over.',
    ],
    controls: [
      commandButton('Step down', `/hc watch-step-down ${environment} --env ${environment}`),
      commandButton('Hand over…', `/hc watch-hand-over ${environment} --env ${environment}`),
    ],
  })
}
