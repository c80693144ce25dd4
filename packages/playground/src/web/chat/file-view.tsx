import type { FileInfo } from '../../protocol/protocol.ts'
import { Icon } from '../icon.tsx'
import { formatSize } from '../use-upload.ts'

const IMAGE_TYPES = new Set(['image/png', 'image/jpeg', 'image/gif', 'image/webp'])
/** A file in a message, with a download link. Images are shown immediately. */
export function FileView({ file }: { file: FileInfo }) {
  return (
    <div className="file">
      {IMAGE_TYPES.has(file.mimetype) && (
        <img className="picture" src={file.href} alt={file.altText || file.title} />
      )}
      <a href={file.href} download={file.name} className="file-link">
        <Icon name="file" />
        <span>
          <strong>{file.title || file.name}</strong>
          <span className="menu-detail">{formatSize(file.size)} · download</span>
        </span>
      </a>
    </div>
  )
}
