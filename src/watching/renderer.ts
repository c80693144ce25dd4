import type { Message } from '../blocks/message.ts'
import type { CardModel, DetailsModel, DigestModel, PausedModel } from '../domain/watching/card-model.ts'

/** Draws the messages of watching from data alone. */
export interface WatchRenderer {
  card(model: CardModel): Message
  /** The reply in a card's thread. */
  details(model: DetailsModel): Message
  digest(model: DigestModel): Message
  /** For the owner of paused watches. */
  paused(model: PausedModel): Message
}
