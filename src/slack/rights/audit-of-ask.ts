import { ApiError } from '../../api/errors.ts'
import type { Log } from '../../log.ts'
import type { Audit } from '../../store/audit.ts'
import type { Environment } from '../../store/store.ts'
import type { Ask, Deed } from '../ask.ts'
import type { Place } from '../place.ts'

type Outcome = Parameters<Audit['append']>[0]['outcome']

/** The ways into the audit log, for one request: open once whoever asks is let in. */
export function recording(parts: {
  audit: Audit
  place: Place
  environment: Environment
  admission: unknown
  now: () => Date
  log: Log
}): Pick<Ask, 'change' | 'record' | 'refused'> {
  const { audit, place, environment, admission, now, log } = parts

  async function append(deed: Deed, outcome: Outcome): Promise<void> {
    const { verb, object, before, after } = deed
    await admission
    await audit.append({
      workspaceId: place.workspaceId,
      at: now(),
      actor: { userId: place.userId, ...(place.userTeamId && { teamId: place.userTeamId }) },
      ...(place.channelId && { channelId: place.channelId }),
      verb,
      object: (deed.environment ?? environment) === 'ote' ? `${object} (OTE)` : object,
      ...(before !== undefined && { before }),
      ...(after !== undefined && { after }),
      outcome,
      reference: place.reference,
    })
  }

  /**
   * What is done is done: were a row that cannot be written an error, a person would read that their order failed, and send
   * it again. It is tried twice, and then it is in the process's log by its reference.
   */
  async function appendSurely(deed: Deed, outcome: Outcome): Promise<void> {
    await append(deed, outcome)
      .catch(() => append(deed, outcome))
      .catch((error: unknown) =>
        log.error(
          { reference: place.reference, verb: deed.verb, object: deed.object, outcome, err: error },
          'What was done could not be put into the audit log.',
        ),
      )
  }

  return {
    record: (deed) => append(deed, 'done'),
    refused: (deed) => append(deed, 'refused'),
    async change({ after, ...deed }, work) {
      await admission
      const told = (outcome?: Awaited<ReturnType<typeof work>>) => ({
        ...deed,
        after: typeof after === 'function' ? after(outcome) : after,
      })
      const outcome = await work().catch(async (error: unknown) => {
        // Work that failed half-way through the network may have been carried out: the log says what is known.
        const isUnknown = error instanceof ApiError && error.mayHaveHappened
        await appendSurely(told(), isUnknown ? 'unknown' : 'failed')
        throw error
      })
      await appendSurely(told(outcome), 'done')
      return outcome
    },
  }
}
