// Normalize content, so that equal contents are equal whether or not empty parts are left out.
export const normal = (said) => {
  const parts = (entries, shape) =>
    Object.fromEntries(
      Object.entries(entries ?? {})
        .map(([key, one]) => [key, shape(one)])
        .filter(([, one]) => Object.values(one).some((value) => value !== null && value !== "" && value.length !== 0))
        .sort(([a], [b]) => (a < b ? -1 : 1)),
    );
  const evidence = (one) => (one.evidence ?? []).map(({ kind, ref, text }) => ({ kind, ref, text: text ?? "" }));
  return JSON.stringify({
    scores: parts(said.scores, (one) => ({ value: one.value ?? null, rationale: one.rationale ?? "", evidence: evidence(one) })),
    answers: parts(said.answers, (one) => ({ answer: one.answer ?? null, note: one.note ?? "", evidence: evidence(one) })),
    comment: said.comment ?? "",
    flags: [...(said.flags ?? [])].sort(),
  });
};
