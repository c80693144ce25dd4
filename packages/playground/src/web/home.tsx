import { useEffect } from 'react'
import type { View } from '../protocol/protocol.ts'
import { Blocks } from './blocks/block.tsx'
import { usePage } from './page.ts'
import { Scrolling } from './scrolling.tsx'
import { SurfaceContext, useNewSurface } from './surface.ts'

function PublishedHome({ view }: { view: View }) {
  const surface = useNewSurface({ kind: 'view', viewId: view.id }, view.blocks)
  return (
    <SurfaceContext value={surface}>
      <Blocks blocks={view.blocks} />
    </SurfaceContext>
  )
}

/** The App Home that the app published for this person. */
export function Home() {
  const { state, client } = usePage()
  const { home, bot } = state.snapshot
  useEffect(() => {
    void client.home({})
  }, [client])
  return (
    <Scrolling className="home" label={`${bot.name} Home`}>
      {home ? (
        <PublishedHome key={home.id} view={home} />
      ) : (
        <div className="empty">
          <h2>Nothing here yet</h2>
          <p>
            The playground sent <code>app_home_opened</code> to {bot.name}. The view that it publishes with{' '}
            <code>views.publish</code> appears here.
          </p>
        </div>
      )}
    </Scrolling>
  )
}
