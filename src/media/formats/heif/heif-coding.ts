/** A format of the HEIF family. */
export interface HeifCoding {
  /** As texts write it. */
  name: string
  /** Type of coded items. */
  itemType: string
  /** Property of coded items that configures their decoder. */
  configuration: string
  /** The most pixels that its decoder reads in one piece; absent for no other limit than that of all pictures. */
  piecePixelsMax?: number
}
