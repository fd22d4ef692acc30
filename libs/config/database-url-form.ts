/** The form of DATABASE_URL and of its siblings. */
export const DATABASE_URL_FORM = /^postgres(ql)?:\/\/\S+$/;
