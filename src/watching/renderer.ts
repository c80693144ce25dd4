import type { Message } from '../blocks/message.ts'
import type { CardModel, DetailsModel, DigestModel, PausedModel } from '../domain/watching/card-model.ts'

/** Draws what watching has to say. Data in, message out: whoever implements it asks nobody. */
export interface WatchRenderer {
  card(model: CardModel): Message
  /** The reply in a card's thread. */
  details(model: DetailsModel): Message
  digest(model: DigestModel): Message
  /** To the owner of watches that cannot tell any more. */
  paused(model: PausedModel): Message
}
