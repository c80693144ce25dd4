import { ApiError } from '../../service/errors.ts'
import type { Api } from '../../service/service.ts'

/** Lists the alerts of a check, or says that the service doesn't. Throws whatever isn't an ApiError. */
export async function readAlerts({ alerts }: Pick<Api, 'alerts'>, uuid: string) {
  try {
    return await alerts.list(uuid)
  } catch (error) {
    if (!(error instanceof ApiError)) throw error
    return 'couldn’t be read'
  }
}
