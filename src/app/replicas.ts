/**
 * How many processes share the database, as far as this one has heard: whoever asks `/readyz`, and Socket Mode, have it say
 * that it lives, and are told how many do.
 */
export interface Replicas {
  count: number
}

export const createReplicas = (): Replicas => ({ count: 1 })

/** Hears what the database says of all of them; while it says nothing, the last answer holds. */
export function heardBy(replicas: Replicas, signOfLife: () => Promise<number>): () => Promise<number> {
  return async () => {
    const count = await signOfLife()
    replicas.count = Math.max(1, count)
    return count
  }
}

/** This one's part of what all of them may have together: never less than `least`, so that it can do something. */
export const shareOf = ({ count }: Replicas, whole: number, least: number): number =>
  Math.max(least, Math.floor(whole / count))
