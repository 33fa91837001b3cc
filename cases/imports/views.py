"""Pages that import cases: upload, preview, import, undo."""

import gzip
import io
import zlib
from contextlib import closing
from dataclasses import replace
from datetime import timedelta
from typing import Any, BinaryIO, cast
from urllib.parse import urlencode

from django.contrib import messages
from django.http import HttpResponse
from django.shortcuts import redirect, render
from django.utils import timezone
from django.utils.translation import get_language, ngettext
from django.utils.translation import gettext as _

from cases import imports
from cases.case import display
from cases.formats import check_report
from cases.imports.checking import open_any_table
from cases.imports.columns import pack, unpack
from cases.imports.forms import ColumnsForm, ImportForm
from cases.imports.mistakes import read_head, recognise
from cases.itinerary.format import CaseError
from cases.itinerary.lines import LARGEST_UNPACKED
from cases.itinerary.reading import case_from
from cases.models import Release, Upload
from cases.releases.acceptance import describe_more_with_warnings
from cases.releases.queries import find_release
from cases.tables import TABLE, Table
from evalsite.http import SignedInRequest

KEPT_FOR = timedelta(days=1)


def import_form(request: SignedInRequest, name: str) -> HttpResponse:
    release = find_release(name)
    form = ImportForm(request.POST or None, request.FILES or None)
    if request.method == "GET" or not form.is_valid():
        return show_form(request, release, form, status=422 if form.is_bound else 200)
    upload = build_upload(request, release, form)
    try:
        with check(upload, version=None):
            pass
    except CaseError as error:
        form.add_error("report", str(error))
        return show_form(request, release, form, status=422)
    except imports.BadFile as refusal:
        # If keys come in several versions, or it is a table, the next page asks which to import,
        # or which columns to take.
        if not (refusal.versions or has_columns(upload)):
            return show_form(request, release, form, status=422, refusal=refusal)
    Upload.objects.filter(created_at__lt=timezone.now() - KEPT_FOR).delete()
    upload.save()
    return redirect(upload)


def show_form(
    request: SignedInRequest, release: Release, form: ImportForm, *, status: int, **more: object
) -> HttpResponse:
    context = {"release": release, "form": form, **more}
    return render(request, "cases/imports/import.html", context, status=status)


def build_upload(request: SignedInRequest, release: Release, form: ImportForm) -> Upload:
    data = form.cleaned_data
    file: Any = data["file"]
    return Upload(
        release=release,
        name=((file.name if file else None) or _("pasted lines"))[:200],
        content=compress(file or io.BytesIO(data["text"].encode("utf-8", "surrogatepass"))),
        report=compress(data["report"]) if data["report"] else b"",
        format=data["format"],
        key_from=data["key_from"],
        created_at=timezone.now(),
        created_by=request.user,
    )


def compress(file: BinaryIO) -> bytes:
    out = io.BytesIO()
    with gzip.GzipFile(fileobj=out, mode="wb", compresslevel=4, mtime=0) as packing:
        while part := file.read(1024 * 1024):
            packing.write(part)
    return out.getvalue()


def has_columns(upload: Upload) -> bool:
    """Whether the file is a table whose columns can be chosen."""
    table = open_table(upload)
    if table is not None:
        table.close()
    return table is not None


def open_table(upload: Upload) -> Table | None:
    """Open the file if it is a table; None also for one that cannot be opened."""
    try:
        source, options = build_source(upload), build_options(upload)
        if options.format not in ("auto", TABLE) or recognise(read_head(source)):
            return None
        return open_any_table(source, options)
    except (CaseError, OSError, EOFError, zlib.error):
        return None


def check(upload: Upload, *, version: str | None) -> imports.Checked:
    """Check an uploaded file. Raises imports.BadFile, and CaseError for the report."""
    report = check_report.read(gzip.decompress(upload.report)) if upload.report else None
    options = replace(build_options(upload), version=version, report=report)
    return imports.check([build_source(upload)], options)


def build_source(upload: Upload) -> imports.Source:
    return imports.Source(upload.name, lambda: decompress(upload), LARGEST_UNPACKED)


def build_options(upload: Upload) -> imports.Options:
    return imports.Options(
        format=upload.format,
        key_from=upload.key_from or None,
        columns=unpack(upload.columns),
        remembered=imports.load_remembered(upload.release),
    )


def decompress(upload: Upload) -> BinaryIO:
    """Return the file as it was uploaded; it may itself be a gzip file."""
    packing = gzip.GzipFile(fileobj=io.BytesIO(bytes(upload.content)))
    return cast(BinaryIO, packing)


def preview(request: SignedInRequest, name: str, pk: int) -> HttpResponse:
    """Show what the import would do; on POST do exactly that, or show what is different now."""
    release = find_release(name)
    oldest = timezone.now() - KEPT_FOR
    upload = Upload.objects.filter(release=release, pk=pk, created_at__gt=oldest).first()
    if upload is None:
        # Pressing the button twice also leads here.
        messages.info(
            request,
            _("This file has already been imported, or it was uploaded more than a day ago."),
        )
        return redirect(release)
    asked = request.POST if request.method == "POST" else request.GET
    version = asked.get("version")
    context: dict[str, object] = {"release": release, "upload": upload, "version": version}
    table = open_table(upload)
    if table is not None:
        with closing(table):
            is_map = request.method == "POST" and "map" in request.POST
            form = ColumnsForm(request.POST if is_map else None, table=table)
        if form.is_valid():
            upload.columns = pack(form.build_columns())
            upload.save(update_fields=["columns"])
            asked_again = "" if version is None else "?" + urlencode({"version": version})
            return redirect(upload.get_absolute_url() + asked_again)
        context["columns"] = form
        if is_map:
            return render(request, "cases/imports/import_preview.html", context, status=422)
    try:
        with check(upload, version=version) as checked:
            if request.method == "POST":
                try:
                    outcome = imports.store(
                        checked,
                        release=release,
                        user=request.user,
                        now=timezone.now(),
                        seen=request.POST.get("seen", ""),
                    )
                except imports.NotAsPreviewed:
                    context["is_stale"] = True
                else:
                    upload.delete()
                    messages.success(request, describe_outcome(outcome))
                    return redirect(release)
            found = imports.preview(checked, release)
    except imports.BadFile as refusal:
        context |= {"refusal": refusal}
        is_asked = bool(refusal.versions or table)
        status = 200 if is_asked and request.method == "GET" else 422
        return render(request, "cases/imports/import_preview.html", context, status=status)
    except imports.CasesFrozen as refusal:
        context |= {"frozen": refusal}
        return render(request, "cases/imports/import_preview.html", context, status=409)
    rubric_text = release.rubric.text_for(get_language())
    kinds = rubric_text.document.sampling.kinds
    context |= {
        "rubric_text": rubric_text,
        "found": found,
        "kinds": [
            (
                kind,
                found.kinds[kind.key],
                describe_more_with_warnings(found.kinds_with_warnings[kind.key]),
            )
            for kind in kinds
        ],
        "tags": found.tags.most_common(),
        "samples": [
            display.read(case_from(row.data), rubric_text.document, language=get_language())
            for row in found.samples
        ],
    }
    status = 409 if request.method == "POST" else 200
    return render(request, "cases/imports/import_preview.html", context, status=status)


def describe_outcome(outcome: imports.Outcome) -> str:
    if outcome.batch is None:
        return _("The release already has every row; nothing changed.")
    return ngettext(
        "Import %(number)d: %(new)d new case, %(changed)d changed, %(unchanged)d unchanged.",
        "Import %(number)d: %(new)d new cases, %(changed)d changed, %(unchanged)d unchanged.",
        outcome.new,
    ) % {
        "number": outcome.batch.number,
        "new": outcome.new,
        "changed": outcome.changed,
        "unchanged": outcome.unchanged,
    }


def undo(request: SignedInRequest, name: str, number: int) -> HttpResponse:
    release = find_release(name)
    try:
        imports.undo_import(release=release, number=number, user=request.user, now=timezone.now())
    except imports.CannotUndo as refusal:
        messages.error(request, str(refusal))
    else:
        messages.success(request, _("Import %(number)d has been undone.") % {"number": number})
    return redirect(release)
